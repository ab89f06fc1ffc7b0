import { decodeString, isAllBlank, withoutBlobs } from './decode.as'
import { Key, KeyText, marked, readKey } from './keys.as'
import { MAX_FILES, MAX_TEXT } from './limits.as'
import { Area } from './memory.as'
import { hashOf } from './names.as'
import { readValue } from './table.as'
import { skipValue } from './values.as'
import { another, CLOSE_ARRAY, enter, OPEN, OPEN_ARRAY, QUOTE, Walk } from './walk.as'

/**
 * Gathers the searched texts of one row, as `core/searchable` defines them: escapes resolved, base64 and blank texts left out, one
 * below the other. Only for rows that the skim found plain, so nothing here looks at the grammar again.
 */
class Gathered {
  static from: usize = 0
  static out: usize = 0
  /** How many bytes of strings were taken, as they stand in the log. */
  static taken: i32 = 0
  static files: i32 = 0
  /** What the parser gives cannot be told from the bytes alone: the parser shall read the row. */
  static isLeft: bool = false
}

/** Begins with nothing; what is gathered is written to `out`, where there is room for as many bytes as the row has. */
export function beginText(out: usize): void {
  Gathered.from = out
  Gathered.out = out
  Gathered.taken = 0
  Gathered.files = 0
  Gathered.isLeft = false
  Walk.bad = false
}

/** How many bytes were gathered; -1 where the parser shall read the row. */
export function endText(): i32 {
  return Gathered.isLeft ? -1 : <i32>(Gathered.out - Gathered.from)
}

export function fileCount(): i32 {
  return Gathered.files
}

/** Adds the string at a place. */
export function addText(at: usize): void {
  Walk.p = at
  addHere()
}

/** Adds every string of the value at a place, in its order, but those under keys that are for machines. */
export function addStrings(at: usize): void {
  Walk.p = at
  gather(true)
}

/** Adds every string of a call's input, and takes note of the files it names. Whatever is not an object is no input. */
export function addInput(at: usize): void {
  if (load<u8>(at) != OPEN) return
  Walk.p = at
  if (enter()) {
    let files = 0
    memory.fill(INPUT_FILES, 0, INPUT_FIELDS * 8)
    do {
      const key = readKey()
      const field = key == Key.inputFilePath ? 0 : key == Key.notebookPath ? 1 : key == Key.path ? 2 : 3
      const isFile = (field < 3 || key == Key.filePath) && load<u8>(Walk.p) == QUOTE
      if (isFile) {
        files++
        readValue(INPUT_FILES + (<usize>field << 3))
      } else skipValue()
    } while (another())
    if (Walk.bad) {
      Gathered.isLeft = true
      return
    }
    // In the order in which they are asked for, whatever the order in the log.
    for (let i: usize = 0; files > 0 && i < <usize>INPUT_FIELDS; i++) {
      const length = load<i32>(INPUT_FILES + (i << 3), 4)
      if (length > 0) addFile(load<u32>(INPUT_FILES + (i << 3)), length)
    }
  }
  Walk.p = at
  gather(false)
}

const INPUT_FIELDS = 4
const INPUT_FILES: usize = memory.data(32, 8)

/** Adds what the details of a result have beside the result itself: the file, and the output of which the row holds a preview only. */
export function addDetails(at: usize): void {
  if (load<u8>(at) != OPEN) return
  Walk.p = at
  memory.fill(DETAIL_PLACES, 0, 40)
  readDetails(DETAIL_PLACES)
  if (Walk.bad) {
    Gathered.isLeft = true
    return
  }
  const file = isFilled(OWN_FILE) ? OWN_FILE : FILE_FILE
  if (isFilled(file)) addFile(load<u32>(file), load<i32>(file, 4))
  if (!isFilled(PERSISTED)) return
  if (isFilled(STDOUT)) addText(load<u32>(STDOUT))
  if (isFilled(STDERR)) addText(load<u32>(STDERR))
}

/** Places of the strings of a result's details. */
const DETAIL_PLACES: usize = memory.data(40, 8)
const OWN_FILE: usize = DETAIL_PLACES
const FILE_FILE: usize = DETAIL_PLACES + 8
const PERSISTED: usize = DETAIL_PLACES + 16
const STDOUT: usize = DETAIL_PLACES + 24
const STDERR: usize = DETAIL_PLACES + 32

/** An object's `filePath` goes to `into`, and so does that of its `file`, one place further. */
function readDetails(into: usize): void {
  if (!enter()) return
  let seen: u64 = 0
  do {
    const key = readKey()
    if (Walk.bad) return
    seen = marked(seen, key)
    const isTop = into == OWN_FILE
    if (key == Key.filePath) readStringPlace(into)
    else if (isTop && key == Key.file && load<u8>(Walk.p) == OPEN) readDetails(FILE_FILE)
    else if (isTop && key == Key.persistedOutputPath) readStringPlace(PERSISTED)
    else if (isTop && key == Key.stdout) readStringPlace(STDOUT)
    else if (isTop && key == Key.stderr) readStringPlace(STDERR)
    else skipValue()
    if (Walk.bad) return
  } while (another())
}

function readStringPlace(into: usize): void {
  if (load<u8>(Walk.p) == QUOTE) readValue(into)
  else skipValue()
}

/** A string that is not empty: more than its quotes. */
function isFilled(place: usize): bool {
  return load<i32>(place, 4) > 2
}

/** Takes note of a file: a JSON string, which is left as it is written. */
export function addFile(at: usize, length: i32): void {
  if (Gathered.files == MAX_FILES) {
    Gathered.isLeft = true
    return
  }
  const file = Area.files + (<usize>Gathered.files << 3)
  store<u32>(file, <u32>at)
  store<i32>(file, length, 4)
  Gathered.files++
}

/** The string whose quote is here. */
function addHere(): void {
  const before = Gathered.out
  // The newline between two texts.
  const from = before == Gathered.from ? before : before + 1
  const at = Walk.p
  Walk.p++
  const to = withoutBlobs(from, decodeString(from))
  Gathered.taken += <i32>(Walk.p - at)
  if (Gathered.taken > MAX_TEXT) Gathered.isLeft = true
  if (isAllBlank(from, to)) return
  if (from != before) store<u8>(before, 0x0a)
  Gathered.out = to
}

/** The keys of the objects that are open: by their hashes, as a second one of the same name would have to be the last. */
const MAX_KEYS = 4096
const MAX_OWN_KEYS = 256
const KEYS: usize = memory.data(4096 * 4, 4)
let openKeys = 0

function gather(isResult: bool): void {
  openKeys = 0
  gatherValue(isResult)
}

function gatherValue(isResult: bool): void {
  const c = load<u8>(Walk.p)
  if (c == QUOTE) addHere()
  else if (c == OPEN) gatherObject(isResult)
  else if (c == OPEN_ARRAY) {
    Walk.p++
    if (load<u8>(Walk.p) == CLOSE_ARRAY) {
      Walk.p++
      return
    }
    do gatherValue(isResult)
    while (!Gathered.isLeft && load<u8>(Walk.p++) != CLOSE_ARRAY)
  } else skipValue()
}

function gatherObject(isResult: bool): void {
  if (!enter()) return
  const first = openKeys
  do {
    const key = readKey()
    if (Walk.bad || !isOrderly(first)) {
      Gathered.isLeft = true
      return
    }
    if (isResult && isForMachines(key)) skipValue()
    else gatherValue(isResult)
    if (Gathered.isLeft) return
  } while (another())
  openKeys = first
}

/** Not a key that the object has had before, and none that the parser would put before all others: a whole number. */
function isOrderly(first: i32): bool {
  if (openKeys - first == MAX_OWN_KEYS || openKeys == MAX_KEYS) return false
  const hash = hashOf(KeyText.at, KeyText.length)
  for (let i = first; i < openKeys; i++) if (load<u32>(KEYS + (<usize>i << 2)) == hash) return false
  store<u32>(KEYS + (<usize>openKeys << 2), hash)
  openKeys++
  for (let i = 0; i < KeyText.length; i++) if (<u32>load<u8>(KeyText.at + i) - 0x30 > 9) return true
  return KeyText.length == 0
}

function isForMachines(key: Key): bool {
  return key == Key.type || key == Key.data || key == Key.toolUseId || key == Key.unread
}
