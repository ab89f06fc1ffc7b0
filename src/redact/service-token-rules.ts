import { type Rule, shape, token } from './rule.ts'

const HEX = '[0-9a-f]'
const ALNUM = '[A-Za-z0-9]'
const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`
const END = '(?![A-Za-z0-9])'

/** Tokens of smaller services, as public lists of scanners describe them: kind, how it begins, what follows. */
export const serviceTokenRules: readonly Rule[] = [
  // Secrets, access and networks.
  token('infisical-token', ['st.'], `${HEX}{24}\\.${HEX}{32}\\.${HEX}{32}${END}`, { short: true }),
  token('vault-token', ['s.'], `(?=[A-Za-z]*\\d)(?=[a-z0-9]*[A-Z])${ALNUM}{24}(?![\\w.-])`, { short: true }),
  token('defined-networking-key', ['dnkey-'], '[a-z0-9=_-]{26}-[a-z0-9=_-]{52}'),
  token('docker-swarm-token', ['SWMTKN-1-'], '[a-z0-9]{50}-[a-z0-9]{25}'),
  token('docker-swarm-key', ['SWMKEY-1-'], '[\\w+/-]{43}'),
  token('rancher-token', ['token-'], `[a-z0-9]{5}:[a-z0-9]{54}${END}`, { short: true }),
  token('k3s-token', ['K10'], `${HEX}{64}::(?:server|node|[\\w-]{1,40}):[\\w-]{16,64}`, { short: true }),
  token('unkey-key', ['unkey_'], `${ALNUM}{20,40}`),
  token('nostr-key', ['nsec1'], `[ac-hj-np-z02-9]{58}${END}`),

  // Clouds, databases and hosting.
  token('clickhouse-cloud-key', ['4b1d'], `(?=[0-9a-z]*[A-Z])${ALNUM}{38}${END}`, { short: true }),
  token('aiven-token', ['AVNS_'], '[\\w-]{19}(?![\\w-])'),
  token('cockroach-key', ['CCDB1_'], `${ALNUM}{22}_${ALNUM}{40}`),
  token('xata-key', ['xau_'], `${ALNUM}{32,64}`),
  token('fauna-key', ['fnA'], `[\\w-]{37}(?![\\w-])`, { short: true }),
  token('tencent-key', ['AKID'], `${ALNUM}{32}${END}`, { short: true }),
  token('volcengine-key', ['AKLT'], `${ALNUM}{40,56}${END}`, { short: true }),
  token('yandex-iam-token', ['t1.'], '[\\w-]{40,300}={0,2}\\.[\\w-]{86}={0,2}', { short: true, reach: 500 }),
  token('yandex-oauth-token', ['y0_'], '[\\w-]{55,60}(?![\\w-])', { short: true }),
  token('yandex-static-key', ['YC'], '(?=[A-Za-z_-]*\\d)[\\w-]{38}(?![\\w-])', { short: true }),
  token('scalingo-token', ['tk-us-'], '[\\w-]{48}'),
  token('settlemint-token', ['sm_aat_', 'sm_pat_', 'sm_sat_'], `${ALNUM}{16}${END}`),
  token('zoho-token', ['1000.'], `${HEX}{32}\\.${HEX}{32}${END}`, { short: true }),
  shape('maxmind-key', ['_mmk'], /_mmk(?!\w)/, { lead: { chars: /[A-Za-z0-9_]/, min: 36, max: 36 } }),

  // Models and agents.
  token('together-key', ['tgp_v1_'], '[\\w-]{43}'),
  token('e2b-key', ['e2b_'], `${HEX}{40}${END}`),
  token('modal-token', ['ak-', 'as-'], `(?=[A-Za-z]*\\d)(?=[a-z0-9]*[A-Z])${ALNUM}{22}${END}`, { short: true }),
  token('helicone-key', ['sk-helicone-', 'pk-helicone-'], '[a-z0-9-]{24,60}'),
  token('jina-key', ['jina_'], `${HEX}{32}[\\w-]{28}`),
  token('nomic-key', ['nk-'], '[\\w-]{43}(?![\\w-])', { short: true }),
  token('dify-key', ['app-', 'dataset-'], `(?=[A-Za-z]*\\d)(?=[a-z0-9]*[A-Z])${ALNUM}{24}(?![\\w-])`, { short: true }),
  token('runpod-key', ['rpa_'], `[A-Z0-9]{34,48}${ALNUM}{0,8}`),
  token('apify-token', ['apify_api_'], `${ALNUM}{34,40}`),
  token('browserbase-key', ['bb_live_', 'bb_test_'], '[\\w-]{24,48}'),
  token('wandb-key', ['wandb_v1_'], '\\w{40,90}'),
  token('inngest-key', ['signkey-prod-', 'signkey-test-', 'signkey-branch-', 'signkey-staging-'], `${HEX}{32,64}`),
  token('trigger-key', ['tr_dev_', 'tr_prod_', 'tr_stg_', 'tr_preview_'], `${ALNUM}{20,32}`),

  // Money.
  token('lob-key', ['live_', 'test_'], `${HEX}{35}${END}`, { short: true }),
  token('mollie-key', ['live_', 'test_'], `(?=[A-Za-z]*\\d)${ALNUM}{30}${END}`, { short: true }),
  token('gocardless-token', ['live_', 'sandbox_'], '(?=[A-Za-z_-]*\\d)[\\w-]{40}(?![\\w-])', { short: true }),
  token('polar-token', ['polar_oat_', 'polar_pat_', 'polar_whs_'], `${ALNUM}{32,64}`),
  token('xendit-key', ['xnd_production_', 'xnd_development_'], `${ALNUM}{40,80}`),
  token('midtrans-key', ['Mid-server-'], '[\\w-]{24}'),
  token('paddle-notification-key', ['pdl_ntfset_'], '[\\w+/]{40,90}'),

  // Messages.
  token('onesignal-key', ['os_v2_app_', 'os_v2_org_'], '[a-z2-7]{90,110}'),
  token('courier-key', ['pk_prod_'], `[A-Z0-9]{28}${END}`),
  token('telnyx-key', ['KEY01'], `[0-9A-F]{30,34}_${ALNUM}{22}${END}`),
  token('pubnub-key', ['sec-c-'], `[A-Za-z0-9+/]{48}={0,2}`),
  token('pubnub-key', ['sub-c-', 'pub-c-'], UUID),
  shape(
    'dingtalk-webhook',
    ['oapi.dingtalk.com/robot/send'],
    /oapi\.dingtalk\.com\/robot\/send\?access_token=(?<secret>[0-9a-f]{64})/,
  ),
  shape(
    'wecom-webhook',
    ['qyapi.weixin.qq.com/'],
    new RegExp(`qyapi\\.weixin\\.qq\\.com/cgi-bin/webhook/send\\?key=(?<secret>${UUID})`),
  ),
  shape('feishu-webhook', ['open-apis/bot/'], new RegExp(`open-apis/bot/(?:v2/)?hook/(?<secret>${UUID})`)),
  shape(
    'zapier-webhook',
    ['hooks.zapier.com/'],
    /hooks\.zapier\.com\/hooks\/catch\/(?<secret>\d{5,9}\/[a-z0-9]{5,16})/,
  ),
  shape(
    'ifttt-key',
    ['maker.ifttt.com/'],
    /maker\.ifttt\.com\/(?:trigger\/[\w-]{1,64}\/(?:json\/)?with\/key|use)\/(?<secret>[\w-]{22,43})/,
  ),
  shape(
    'google-chat-webhook',
    ['chat.googleapis.com/'],
    /chat\.googleapis\.com\/v1\/spaces\/[\w-]{6,20}\/messages\?(?:[\w-]{1,20}=[\w%-]{1,80}&){0,3}token=(?<secret>[\w%-]{30,80})/,
  ),

  // Work and watching.
  token('clickup-token', ['pk_'], `\\d{6,9}_[A-Z0-9]{32}${END}`, { short: true }),
  token('axiom-token', ['xaat-', 'xapt-'], UUID),
  token('tinybird-token', ['p.eyJ'], '[\\w-]{60,200}\\.[\\w-]{43}(?![\\w-])', { short: true }),
  token('grafana-key', ['eyJrIjoi'], '[A-Za-z0-9+/]{60,400}={0,3}'),
  token('checkly-key', ['cu_'], `${HEX}{32}${END}`, { short: true }),
  token('newrelic-browser-key', ['NRJS-'], `${HEX}{19}${END}`),
  token('cal-key', ['cal_live_'], `${HEX}{32}${END}`),
  token('posthog-feature-key', ['phs_'], `${ALNUM}{40,48}${END}`),
  token('intra42-secret', ['s-s4t2ud-', 's-s4t2af-'], `${HEX}{64}`),
  token('sanity-token', ['sk'], `(?=[A-Za-z]*\\d)${ALNUM}{178}${END}`, { short: true, reach: 300 }),
  token('retool-key', ['retool_01'], '[a-z0-9]{24,40}'),
  token('onfido-token', ['api_live.', 'api_sandbox.', 'api_live_us.'], '[\\w-]{11}\\.[\\w-]{32}'),
  token('buildkite-agent-token', ['bkaj_', 'bkct_'], '[\\w-]{36,80}'),
  token('gitlab-workspace-token', ['glwt-'], '[\\w-]{20,64}'),
  token('codacy-token', ['codacy_'], `${ALNUM}{20,40}`),
  token('snyk-token', ['snyk_uat.', 'snyk_sat.'], `${ALNUM}{8}\\.[\\w-]{40,400}`, { reach: 500 }),
  token('zuplo-key', ['zpka_'], `${HEX}{32}_${HEX}{8}`),
  token('val-town-token', ['vtwn_'], `${ALNUM}{20,40}`),
  token('deno-token', ['ddp_', 'ddo_', 'ddw_'], `${ALNUM}{36}${END}`),
  token('convex-key', ['prod:', 'preview:', 'project:'], `[\\w-]{4,60}\\|ey[A-Za-z0-9+/=]{40,300}`, { short: true }),
  token('storyblok-token', ['sb-oauth-'], '[\\w-]{30,60}'),
]
