/**
 * A number of 48 bits that stands for a uuid. The last twelve digits are random in every version of uuids that is random at all;
 * among a hundred million rows one in a hundred looked up would be taken for another, were they not asked for one by one.
 */
export function rowKey(uuid: string): number {
  return UUID.test(uuid) ? Number.parseInt(uuid.slice(24), 16) : Math.floor(textKey(uuid) / 32)
}

/** A uuid as clients write it. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** 53 bits of two hashes: among a hundred million texts, one in a hundred million would be taken for another. */
export function textKey(text: string): number {
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
  }
  return ((a ^ (a >>> 16)) >>> 0) * 2 ** 21 + ((b ^ (b >>> 15)) >>> 11)
}
