// Whether ours and the peer count the same tokens.
import { PEER } from './peer.mjs'
import { count } from './report.mjs'

/** Says it, from what both printed. With and without a kept index ours must be the same. */
export function comparedTokens({ kept, read, peer, missing }) {
  const ours = ourTokens(read)
  if (JSON.stringify(ours) !== JSON.stringify(ourTokens(kept))) throw new Error('With and without index differ.')
  if (missing !== undefined) return `not compared, since there was no ${PEER}: ${missing}`
  const theirs = peerTokens(peer)
  const differing = Object.keys(ours).filter((kind) => ours[kind] !== theirs[kind])
  if (differing.length === 0) return `the same as ${PEER} counts, of all ${Object.keys(ours).length} kinds`
  const told = differing.map((kind) => `${kind} ${count(ours[kind])} here and ${count(theirs[kind])} there`)
  return `of ${PEER} and ours the same but for ${told.join(', ')}`
}

function ourTokens({ output }) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } =
    JSON.parse(output).total
  const cacheWriteTokens = cacheWrite5mTokens + cacheWrite1hTokens
  return { input: inputTokens, output: outputTokens, 'cache read': cacheReadTokens, 'cache write': cacheWriteTokens }
}

function peerTokens({ output }) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = JSON.parse(output).totals
  return { input: inputTokens, output: outputTokens, 'cache read': cacheReadTokens, 'cache write': cacheCreationTokens }
}
