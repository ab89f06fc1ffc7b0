import { count, mb, table } from './report.mjs'

/** The figures of the collector as tables; those of PostgreSQL are absent where there is none. */
export function collectReport(local, postgres) {
  const { files, bytes, rounds, folder, facts, parquet, receiver } = local
  const { idleCpuPercent, badFiles, badCpuPercent, visibleMs, idleMb, downMb } = local
  const goal = (isMet) => (isMet ? 'met' : '**missed**')
  const way = (what, figures) => [
    what,
    `${count(figures.recordsPerSecond)} records/s`,
    `${count(figures.mbPerSecond)} MB/s`,
    `${count(figures.peakMb)} MB`,
    `${count(figures.bytesPerRecord)} bytes`,
  ]
  return [
    `${count(files)} logs, ${mb(bytes)}, collected by a whole process, masked on the way; ${rounds === 1 ? 'one run each' : `the shortest of ${rounds}`}.`,
    '',
    table([
      ['into', 'records', 'of the logs', 'peak memory', 'a record there'],
      way('a folder, gzip JSONL, all content', folder),
      way('a folder, facts only, hashed paths', facts),
      way('a folder, Parquet, all content', parquet),
      way('a receiver that writes to a folder, all content', receiver),
    ]),
    '',
    `The receiver takes ${count(receiver.recordsPerCpuSecond)} records for a second of its processor time, with at most ${count(receiver.receiverMb)} MB.`,
    '',
    table([
      ['what', 'ours', 'goal', ''],
      [`idle with ${count(files)} files watched`, `${idleCpuPercent} % of a core`, '< 1 %', goal(idleCpuPercent < 1)],
      [
        `the same with ${count(badFiles)} more that give nothing`,
        `${badCpuPercent} % of a core`,
        '< 1 %',
        goal(badCpuPercent < 1),
      ],
      ['append → visible in the folder', `${count(visibleMs)} ms`, '', ''],
      ['memory while it waits', `${count(idleMb)} MB`, '', ''],
      ['memory while the destination is down', `${count(downMb)} MB`, '', ''],
    ]),
    '',
    postgres.missing ?? postgresTable(postgres, goal),
    '',
  ].join('\n')
}

function postgresTable({ rows, bytes, rounds, lines, storeMb, indexMb }, goal) {
  const [copy, ...others] = lines
  const speed = ({ ms }) => [`${count((rows / ms) * 1000)} records/s`, `${count(bytes / 1e3 / ms)} MB/s`]
  return [
    `PostgreSQL, ${count(rows)} rows with ${mb(bytes)} of content, in process, by a role that may only insert, each batch committed and waited for; the shortest of ${rounds}.`,
    '',
    table([
      ['what', 'records', 'content', 'of COPY', 'goal', ''],
      [copy.what, ...speed(copy), '1.00', '', ''],
      ...others.map((line) => {
        const share = copy.ms / line.ms
        const verdict = line.isSink ? ['≥ 0.60', goal(share >= 0.6)] : ['', '']
        return [line.what, ...speed(line), share.toFixed(2), ...verdict]
      }),
    ]),
    '',
    `In the store: ${storeMb} MB, of it ${indexMb} MB indexes; ${count((storeMb * 1e6) / rows)} bytes a record.`,
  ].join('\n')
}
