alter table annals.record modify ttl if(toUnixTimestamp64Milli(at) = 0, arrived_at, toDateTime(at, 'UTC')) + toIntervalDay(90);

alter table annals.response modify ttl if(toUnixTimestamp64Milli(at) = 0, arrived_at, toDateTime(at, 'UTC')) + toIntervalDay(90);

alter table annals.tool_call modify ttl if(toUnixTimestamp64Milli(at) = 0, arrived_at, toDateTime(at, 'UTC')) + toIntervalDay(90);

alter table annals.session modify ttl toDateTime(last_at, 'UTC') + toIntervalDay(90);

alter table annals.log modify ttl toDateTime(last_at, 'UTC') + toIntervalDay(90);

alter table annals.held modify ttl if(isNull(time), toDateTime(made_at, 'UTC'), toDateTime(intDiv(assumeNotNull(time), 1000), 'UTC')) + toIntervalDay(90);

alter table annals.doc modify ttl if(isNull(time), toDateTime(made_at, 'UTC'), toDateTime(intDiv(assumeNotNull(time), 1000), 'UTC')) + toIntervalDay(90);

alter table annals.document modify ttl arrived_at + toIntervalDay(90);

alter table annals.dead_letter modify ttl arrived_at + toIntervalDay(90);

alter table annals.daily modify ttl toDateTime(day) + toIntervalDay(90);
