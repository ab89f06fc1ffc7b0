/**
 * The table that a skim fills: what stands in which word of a row. Compiled into both sides, TypeScript and WebAssembly, so it
 * holds whole numbers and nothing else.
 *
 * A row is `ROW_WORDS` words of 32 bits, in five parts: numbers, uuids of sixteen bytes, names (numbers of a text that many rows
 * share), places (offset and length in the memory, length -1 for none), and doubles, which are counted in words of 64 bits.
 */

export const ROW_WORDS = 74
/** So many rows are filled at a time. */
export const MAX_ROWS = 256

/** Where the line begins in the memory, and its length without the newline. */
export const OFFSET = 0
export const LENGTH = 1
/** How many lines of this skim precede it; empty lines count and have no row. */
export const LINE = 2
export const VERDICT = 3
/** The place of its type in `SKIMMED_TYPES`: first those of the tree. */
export const TYPE = 4
export const FLAGS = 5
/** The first of the row's blocks, and how many it has. */
export const BLOCKS = 6
export const BLOCK_COUNT = 7

export const UUID = 8
export const PARENT = 12
export const LOGICAL_PARENT = 16

export const SESSION = 20
export const AGENT = 21
export const VERSION = 22
export const CWD = 23
export const GIT_BRANCH = 24
export const SLUG = 25
export const MODEL = 26
export const ROLE = 27
export const STOP_REASON = 28
export const SERVICE_TIER = 29
export const SPEED = 30
export const GEO = 31
export const SUBTYPE = 32
/** The `type` of an attachment. */
export const ATTACHMENT_TYPE = 33
/** The session that a copied row says it was copied from. */
export const FORKED_FROM = 34
/** The agent that a progress row tells of: `data.agentId`. */
export const DATA_AGENT = 35

export const MESSAGE_ID = 36
export const REQUEST_ID = 38
export const REQUEST_REF = 40
/** The row's own `id`, which an `api-request` row has. */
export const ID = 42
/** Of an attachment row: the attachment's. */
export const TOOL_USE_ID = 44
export const PARENT_TOOL_USE_ID = 46
/** The `content` at the top of a system row, and the `toolUseResult` of a user row: JSON values, with their quotes. */
export const CONTENT = 48
export const DETAILS = 50

/** Milliseconds since 1970, NaN where there is none. */
export const TIME = 26
/** The same of `snapshot.timestamp`. */
export const SNAPSHOT_TIME = 27
export const INPUT_TOKENS = 28
export const OUTPUT_TOKENS = 29
export const CACHE_READ_TOKENS = 30
/** All cache writes; the next two say of which kind, where the client knew. */
export const CACHE_WRITE_TOKENS = 31
export const CACHE_WRITE_5M_TOKENS = 32
export const CACHE_WRITE_1H_TOKENS = 33
export const WEB_SEARCHES = 34
/** The keys of its uuid and of its parent's (`row-key`), where it has them. */
export const KEY = 35
export const PARENT_KEY = 36

/** Verdicts. Of a line that is left to the parser, only its place is known. */
export const PLAIN = 0
export const LEFT = 1

/** Flags. */
export const IS_SIDECHAIN = 1
export const IS_META = 2
export const IS_COMPACT_SUMMARY = 4
export const IS_API_ERROR = 8
export const HAS_UUID = 16
export const HAS_PARENT = 32
export const HAS_LOGICAL_PARENT = 64
export const HAS_USAGE = 128
/** The row has a `forkedFrom`. */
export const IS_FORK = 256
/** A system row that says `"level":"error"`, and one that has an `error` object. */
export const IS_ERROR_LEVEL = 512
export const HAS_ERROR = 1024
export const HAS_MESSAGE = 2048
/** The message's content is a string: its only block is that text. */
export const IS_TEXT_CONTENT = 4096
/** No byte of its line is beyond ASCII. */
export const IS_ASCII = 8192

/** A block of a message: `BLOCK_WORDS` words. */
export const BLOCK_WORDS = 8
export const MAX_BLOCKS = 1024
export const BLOCK_KIND = 0
/** The name of the tool, -1 for none. */
export const BLOCK_NAME = 1
/** `id` of a call, `tool_use_id` of a result: a place. */
export const BLOCK_ID = 2
/** What is searched of it, a JSON value with its quotes: `text`, `thinking`, `input` or `content`. */
export const BLOCK_VALUE = 4
/** 1 for a result that says it is an error. */
export const BLOCK_ERROR = 6

export const TEXT_BLOCK = 0
export const THINKING_BLOCK = 1
export const CALL_BLOCK = 2
export const RESULT_BLOCK = 3
/** Calls and results of the API's own tools: types that end in `tool_use` and `tool_result`. */
export const SERVER_CALL_BLOCK = 4
export const SERVER_RESULT_BLOCK = 5
export const OTHER_BLOCK = 6

/** Bytes behind the end of what is skimmed that may be read, and of which the first is written. */
export const SLACK = 128
/** Containers deeper than this are left to the parser. */
export const MAX_DEPTH = 60
