/** What one session kind is; the words of the contract. */
export type SessionKind = 'conversation' | 'summary-only' | 'snapshot-only' | 'metadata-only' | 'empty'

/** What an agent was started for. */
export type AgentClass = 'task' | 'warmup' | 'compact' | 'suggestion' | 'side-question' | 'workflow' | 'incomplete'

/** The rule that tied an agent to the call that started it; null when none does. */
export type CallLink = 'meta' | 'result' | 'progress' | 'prompt' | 'time' | null

/** Where a text stands: a 1-based line, of the session's own file unless `file` (id prefix) names another. */
export interface TextPlace {
  readonly line: number
  readonly file?: string
}

/** Where a title's text stands; never the text itself. */
export interface TitleTruth {
  readonly from: 'custom' | 'ai' | 'summary' | 'prompt' | 'none'
  readonly line?: number
  readonly file?: string
  /** `command`: the line is a slash command, and the title is its name and arguments. */
  readonly field?: 'command'
  /** A file in the session's folder that holds the same text. */
  readonly sidecar?: 'custom-title.json'
  /** A second answer that is as right as the first. */
  readonly or?: TextPlace
}

/** One agent: its id cut to 10 characters, or the line of its first row when it lies in the main file. */
export interface AgentTruth {
  readonly id: string
  readonly class: AgentClass
  readonly type: string | null
  readonly linkedBy: { readonly session: 'folder' | 'sessionId'; readonly call: CallLink }
  /** Line of the call, in the main file, or in `parentAgent`'s file when that is given. */
  readonly callLine: number | null
  readonly parentAgent?: string
}

/** One session: named by the first 8 characters of its file name; its agents are a set, the order says nothing. */
export interface SessionTruth {
  readonly id: string
  readonly kind: SessionKind
  readonly title: TitleTruth
  readonly prompts: number
  readonly rows: number
  readonly messages: number
  readonly turns: number
  readonly toolCalls: number
  readonly branches: number
  readonly compactions: number
  readonly agents: readonly AgentTruth[]
  readonly forkedFrom?: string
  readonly continues?: string
}

/** One root, `<client version>/<scenario>`, and every session in it. */
export interface Scenario {
  readonly root: string
  readonly sessions: readonly SessionTruth[]
}

type Counts = Pick<SessionTruth, 'prompts' | 'rows' | 'messages' | 'turns' | 'toolCalls' | 'branches' | 'compactions'>

// Counts that many sessions share, in the order prompts, rows, messages, turns, tool calls.
const unanswered = counts(1, 1, 1, 1, 0)
const answered = counts(1, 2, 2, 1, 0)
/** A prompt and the error row (model `<synthetic>`) that came back: a row, but no message. */
const failed = counts(1, 2, 1, 1, 0)
/** One response in two rows, or one response and an error row. */
const answeredInTwoRows = counts(1, 3, 2, 1, 0)
const answeredInThreeRows = counts(1, 4, 2, 1, 0)
const answeredTwice = counts(1, 3, 3, 1, 0)
const answeredTwiceWithError = counts(1, 4, 3, 1, 0)
const cutInTool = counts(1, 3, 2, 1, 1)
const oneTool = counts(1, 4, 3, 1, 1)
const textThenTool = counts(1, 5, 3, 1, 1)
const twoTools = counts(1, 6, 4, 1, 2)
const threeTools = counts(1, 8, 5, 1, 3)
const twoParallel = counts(1, 6, 3, 1, 2)
const threeParallel = counts(1, 10, 3, 1, 3)
const tenParallel = counts(1, 22, 3, 1, 10)
/** The notice of a finished task is a row and gets an answer, but is neither a prompt nor a turn. */
const toolThenNotice = counts(1, 6, 4, 1, 1)
const textToolThenNotice = counts(1, 7, 4, 1, 1)
const twoToolsThenTwoNotices = counts(1, 10, 5, 1, 2)
const sevenTaskTools = counts(1, 16, 7, 1, 7)
const sevenTools = counts(1, 18, 9, 1, 7)
const sevenToolsThenAnswer = counts(2, 20, 11, 2, 7)
const threeTurns = counts(3, 30, 14, 3, 10)
/** The summary, the output of /compact and the synthetic row after it count as rows; the command does not. */
const compacted = counts(3, 25, 13, 3, 7, { compactions: 1 })
const streamedIn = counts(2, 12, 5, 2, 3)
/** A custom command is a prompt but not a row, its expansion is meta: what is left is the one answer. */
const ownCommand = counts(1, 1, 2, 1, 0)
/** A built-in command whose output is a user row (clients up to 2.1.45). */
const builtInWithOutputRow = counts(0, 1, 0, 0, 0)
/** A built-in command whose output is a system row (2.1.68 and later): user rows, but none that counts. */
const builtIn = counts(0, 0, 0, 0, 0)
const afterClear = counts(2, 13, 7, 2, 3)

const untitled: TitleTruth = { from: 'none' }

/** The right answers for every client scenario, made by hand: see README.md beside this file. */
export const scenarios: readonly Scenario[] = [
  // 1.0.0
  // One row per response with all its blocks, so fewer rows than later clients write for the same talk.
  // Doubt: an inline agent lies in no folder, so its session is known by the `sessionId` of its rows (also 1.0.128).
  at('1.0.0/agent', talk('37d384c0', prompt(1), oneTool, [inlineAgent(3, 'general-purpose', 2)])),
  at(
    '1.0.0/agents2',
    talk('3f31096d', prompt(1), counts(1, 5, 3, 1, 2), [
      inlineAgent(3, 'general-purpose', 2),
      inlineAgent(6, 'Explore', 2),
    ]),
  ),
  at('1.0.0/ask', talk('82fef4cc', prompt(1), oneTool)),
  at('1.0.0/bgagent', talk('924eb0ae', prompt(1), oneTool, [inlineAgent(3, 'general-purpose', 2)])),
  at('1.0.0/bgbash', talk('4c841a5a', prompt(1), oneTool)),
  at('1.0.0/big', talk('5f904ba5', prompt(1), oneTool)),
  at('1.0.0/bigpar', talk('bfe7eb09', prompt(1), counts(1, 13, 3, 1, 10))),
  at('1.0.0/err', talk('bc376bdc', prompt(1), failed)),
  // Nothing but todos/ was written: a root without a session.
  at('1.0.0/err401'),
  at('1.0.0/err429', talk('e1628ddd', prompt(1), failed)),
  // As err401.
  at('1.0.0/err529'),
  at('1.0.0/image', talk('1fa4e5ad', prompt(1), oneTool)),
  at('1.0.0/maxtok', talk('5d310d82', prompt(1), answered)),
  at('1.0.0/multiedit', talk('89963398', prompt(1), twoTools)),
  // The inner call failed (also 1.0.128 to 2.1.45): one agent only.
  at('1.0.0/nested', talk('d83fe054', prompt(1), oneTool, [inlineAgent(3, 'general-purpose', 2)])),
  at('1.0.0/notebook', talk('21433ae7', prompt(1), oneTool)),
  at('1.0.0/parallel', talk('678dc152', prompt(1), counts(1, 6, 3, 1, 3))),
  at('1.0.0/refusal', talk('b844ea88', prompt(1), failed)),
  // Copied resumes: new uuids, so each summary row names a leaf of the file before it. The summary text is an error
  // message, which is no title. The copies point at no other file: no `continues`.
  at(
    '1.0.0/resume-manual',
    talk('1119cb86', prompt(1), counts(1, 6, 3, 1, 3)),
    talk('7206e0e5', prompt(2), counts(2, 8, 5, 2, 3), [], { forkedFrom: '1119cb86' }),
    talk('fddcd503', prompt(2), counts(3, 10, 7, 3, 3), [], { forkedFrom: '7206e0e5' }),
  ),
  at('1.0.0/simple', talk('522b2093', prompt(1), answered)),
  at('1.0.0/skill', talk('90f7f3b7', prompt(1), oneTool)),
  at('1.0.0/tasks', talk('3fe52b90', prompt(1), counts(1, 11, 6, 1, 5))),
  at('1.0.0/think', talk('9a217855', prompt(1), answered)),
  at('1.0.0/todo', talk('51e95661', prompt(1), oneTool)),
  at('1.0.0/tools', talk('02791366', prompt(1), counts(1, 14, 8, 1, 6))),
  at('1.0.0/usagex', talk('4565e877', prompt(1), answered)),
  at('1.0.0/websearch', talk('acce4b46', prompt(1), answered)),

  // 1.0.128
  at('1.0.128/agent', talk('2c077515', prompt(1), textThenTool, [inlineAgent(4, 'general-purpose', 3)])),
  // The first call failed (no such agent type): its call has no agent.
  at('1.0.128/agents2', talk('bcdf2aa0', prompt(1), twoParallel, [inlineAgent(5, 'general-purpose', 3)])),
  at('1.0.128/ask', talk('3165d16e', prompt(1), oneTool)),
  at('1.0.128/bgagent', talk('3769184b', prompt(1), oneTool, [inlineAgent(3, 'general-purpose', 2)])),
  at('1.0.128/bgbash', talk('52c62194', prompt(1), twoTools)),
  at('1.0.128/big', talk('dadfa0b9', prompt(1), twoTools)),
  at('1.0.128/bigpar', talk('98c41416', prompt(1), tenParallel)),
  // Four summary rows point into 39005c6b, two of them in its own file, which is the newest. Doubt: two rows in one
  // file; chosen is the last one, as everywhere else the last row wins. The /compact row is followed by a synthetic
  // row only, so it begins no turn.
  at(
    '1.0.128/compact',
    talk('39005c6b', summary(27), compacted),
    noTalk('75d52c8c', 'summary-only'),
    noTalk('e0ec0f58', 'summary-only'),
  ),
  at(
    '1.0.128/continue',
    talk('4ceb6c15', summary(1, 'e508d90e'), sevenTools),
    // The rows carry the other session's `sessionId`; the file's name is its identity.
    talk('e508d90e', prompt(2), answered, [], { continues: '4ceb6c15' }),
  ),
  at('1.0.128/err', talk('29e32102', prompt(1), failed)),
  at('1.0.128/err401', talk('2d7f3260', prompt(1), failed)),
  at('1.0.128/err429', talk('a7a1f21f', prompt(1), failed)),
  at('1.0.128/err529', talk('37964164', prompt(1), failed)),
  // The copy keeps the uuids, so the leaf is a row of both files and the one summary titles both. No row carries
  // forkedFrom: the copies were written later.
  at(
    '1.0.128/fork',
    talk('3d4f2b85', summary(1), sevenToolsThenAnswer, [], { forkedFrom: '5f96e317' }),
    talk('5f96e317', summary(1, '3d4f2b85'), sevenTools),
  ),
  at('1.0.128/image', talk('3258161a', prompt(1), oneTool)),
  at('1.0.128/interrupt', talk('6acc6096', summary(1, 'bdd04416'), cutInTool), noTalk('bdd04416', 'summary-only')),
  at('1.0.128/maxtok', talk('76afc7aa', prompt(1), answeredInTwoRows)),
  at('1.0.128/midfail', talk('410d404d', prompt(1), answered)),
  at('1.0.128/multiedit', talk('db96827f', prompt(1), threeTools)),
  at('1.0.128/nested', talk('74349978', prompt(1), oneTool, [inlineAgent(3, 'general-purpose', 2)])),
  at('1.0.128/notebook', talk('3782932e', prompt(1), twoTools)),
  at('1.0.128/parallel', talk('645ad5ba', prompt(1), threeParallel)),
  at('1.0.128/plan', talk('b5e3e480', prompt(1), textThenTool)),
  at('1.0.128/refusal', talk('00015770', prompt(1), answeredInTwoRows)),
  at(
    '1.0.128/resume',
    // Doubt: both files have the same modification time to the second. The main file was written to last (the third
    // turn came after the summary-only file was made), so it is the newer one; the other is accepted.
    talk('b44be45c', eitherSummary(19, { file: 'b571adfc', line: 1 }), threeTurns),
    noTalk('b571adfc', 'summary-only'),
  ),
  at('1.0.128/retryonce', talk('113b28bb', prompt(1), answered)),
  at('1.0.128/simple', talk('e90e2c08', prompt(1), answered)),
  at('1.0.128/skill', talk('9bfa765b', prompt(1), oneTool)),
  at(
    '1.0.128/slash',
    // User rows, though no prompt: a conversation with one branch (so for every built-in command below).
    talk('03d182ba', command(3), builtInWithOutputRow),
    talk('b22c8a49', command(2), builtInWithOutputRow),
    // The summary beats the command (line 1) that would be the title otherwise.
    talk('ca9e7d34', summary(1, '03d182ba'), ownCommand),
  ),
  at('1.0.128/slowpar', talk('0672ba56', prompt(1), threeParallel)),
  at('1.0.128/streamin', talk('83cb2b51', prompt(1), streamedIn)),
  at('1.0.128/tasks', talk('30b256c8', prompt(1), sevenTaskTools)),
  at('1.0.128/think', talk('da6f4f35', prompt(1), answeredInTwoRows)),
  at('1.0.128/todo', talk('cd1d1c0c', prompt(1), twoTools)),
  at('1.0.128/toolong', talk('2e0a5fd1', prompt(1), failed)),
  at('1.0.128/tools', talk('f041dcb3', prompt(1), sevenTools)),
  at('1.0.128/unicodepath', talk('e188c727', prompt(1), answered)),
  at('1.0.128/usagex', talk('07004382', prompt(1), answered)),
  at('1.0.128/websearch', talk('c22fa780', prompt(1), answeredInThreeRows)),

  // 2.0.37
  at(
    '2.0.37/agent',
    talk('71202a34', prompt(3), textThenTool, [
      flatAgent('164896c6', 'general-purpose', 'result', 5),
      ...flatWarmups('1d5591ac', 'a8a2585a'),
    ]),
  ),
  at(
    '2.0.37/agents2',
    talk('92c0f7cb', prompt(3), twoParallel, [
      flatAgent('c93c20a8', 'general-purpose', 'result', 5),
      flatAgent('da9eaeca', 'Explore', 'result', 4),
      ...flatWarmups('11aebb53', '478a8b05'),
    ]),
  ),
  at('2.0.37/ask', talk('98183653', prompt(3), oneTool, flatWarmups('83dd2c2d', 'fb700747'))),
  at(
    '2.0.37/bgagent',
    talk('107d07f4', prompt(3), oneTool, [
      flatAgent('17499bea', 'general-purpose', 'result', 4),
      ...flatWarmups('98115a98', 'b38adfa0'),
    ]),
  ),
  at('2.0.37/bgbash', talk('34814ef9', prompt(3), twoTools, flatWarmups('239a3afd', 'cd659c73'))),
  at('2.0.37/big', talk('390ae660', prompt(3), twoTools, flatWarmups('379c277f', '8fa8d14c'))),
  at('2.0.37/bigpar', talk('c78730fe', prompt(3), tenParallel, flatWarmups('8e214627', 'd5b14c0e'))),
  // The empty files are the ids that a resume throws away; their warmups are real and carry those ids.
  at(
    '2.0.37/compact',
    noTalk('0d3aea70', 'empty', flatWarmups('60573ec5', '8693c92c')),
    talk('cebb6914', prompt(3), compacted, flatWarmups('2e324958', '806e2f1d', '8e0082f8', 'c1e347dc')),
    noTalk('e725c2b0', 'empty', flatWarmups('227a9200', '950f9c80')),
  ),
  at(
    '2.0.37/continue',
    talk('43d21103', prompt(3), sevenToolsThenAnswer, flatWarmups('17939cfd', '2be95227', '46a63c57', '6b5ab663')),
  ),
  at('2.0.37/err', talk('905b4c5d', prompt(3), failed, flatWarmups('685399ec', '95411e9c'))),
  at('2.0.37/err401', talk('d3ae0c84', prompt(3), failed, flatWarmups('209e2fb2', '8b01d325'))),
  at('2.0.37/err429', talk('928edb13', prompt(3), failed, flatWarmups('5e268258', 'f8612bc2'))),
  at('2.0.37/err529', talk('87bd1e96', prompt(3), failed, flatWarmups('a5beacee', 'f5074bf6'))),
  // The first row of the copy carries the source's `sessionId`, the others its own (also 2.0.77 and 2.1.4).
  at(
    '2.0.37/fork',
    talk('876ad80d', prompt(3), sevenToolsThenAnswer, flatWarmups('72eeed07', '9f0c0829'), { forkedFrom: 'e5ac8546' }),
    talk('e5ac8546', prompt(3), sevenTools, flatWarmups('2bbd196b', '5759df96')),
  ),
  at('2.0.37/image', talk('84201edd', prompt(3), oneTool, flatWarmups('b0db8216', 'cf995655'))),
  // 515e2858 holds queue operations only; the prompt text in them is no title.
  at(
    '2.0.37/interrupt',
    talk('4765905c', prompt(3), cutInTool, flatWarmups('8c1210fa', 'e40219a2')),
    noTalk('515e2858', 'metadata-only', flatWarmups('2d9d387b', '852eac62')),
  ),
  // The error row comes first, in the file and in the tree, and the real answer hangs under it (also refusal).
  at('2.0.37/maxtok', talk('88fe4fa9', prompt(3), answeredInTwoRows, flatWarmups('030b06a7', '75e591f4'))),
  at('2.0.37/midfail', talk('a24af5bf', prompt(3), answered, flatWarmups('3ecf61eb', 'b333cb81'))),
  at('2.0.37/multiedit', talk('9effedb9', prompt(3), threeTools, flatWarmups('5fb5fca2', 'fbc7df6b'))),
  at(
    '2.0.37/nested',
    talk('13d8f9a4', prompt(3), oneTool, [
      flatAgent('f3256fc8', 'general-purpose', 'result', 4),
      ...flatWarmups('5a113c96', 'd8fb1e9f'),
    ]),
  ),
  at('2.0.37/notebook', talk('a8a5da46', prompt(3), twoTools, flatWarmups('42161368', 'f05bdc62'))),
  at('2.0.37/parallel', talk('4026de13', prompt(3), threeParallel, flatWarmups('5744f7a7', '5caa2227'))),
  at('2.0.37/plan', talk('0e9bb335', prompt(3), textThenTool, flatWarmups('016daa7b', '7850d8ef'))),
  at('2.0.37/refusal', talk('deb32ccd', prompt(3), answeredInTwoRows, flatWarmups('d8c36e76', 'fae8aa61'))),
  at(
    '2.0.37/resume',
    noTalk('57a7003d', 'empty', flatWarmups('1a8478de', 'cf6e35e6')),
    talk('7ffc326b', prompt(3), threeTurns, flatWarmups('672d0d25', 'e1fd11fb')),
    noTalk('bf69d227', 'empty', flatWarmups('28a2fb3c', '962057a0')),
  ),
  at('2.0.37/retryonce', talk('e5332a27', prompt(3), answered, flatWarmups('7296696e', 'c4f66495'))),
  at('2.0.37/simple', talk('c5ce0b12', prompt(3), answered, flatWarmups('16e32dbb', 'f3a014c4'))),
  // Doubt: line 6 is a message-first command row, but its parent is the result of the model's own Skill call, so no
  // human asked it: not a prompt, and as a command row not counted in `rows` either.
  at('2.0.37/skill', talk('c195c991', prompt(3), oneTool, flatWarmups('22eb40e8', 'dea3870a'))),
  at(
    '2.0.37/slash',
    talk('22bdf014', command(4), builtInWithOutputRow, flatWarmups('762da097')),
    talk('2748b0ca', command(3), ownCommand, flatWarmups('a023a3fc', 'e9a81c1c')),
    talk('b633ca40', command(4), builtInWithOutputRow, flatWarmups('31a6b6bd', 'c7b2eae4')),
  ),
  at('2.0.37/streamin', talk('fae5d537', prompt(4), streamedIn, flatWarmups('4fc78934', '675f480f'))),
  at('2.0.37/tasks', talk('530f4339', prompt(3), sevenTaskTools, flatWarmups('4a00b4ba', 'b4ba4bea'))),
  at('2.0.37/think', talk('e6601ac5', prompt(3), answeredInTwoRows, flatWarmups('6aa5424a', '832f94b8'))),
  at('2.0.37/todo', talk('fbf45624', prompt(3), twoTools, flatWarmups('a4527e72', 'f9e15588'))),
  at('2.0.37/toolong', talk('28fd8fed', prompt(3), failed, flatWarmups('245171ab', 'a52b0ab7'))),
  at('2.0.37/tools', talk('40a6fd15', prompt(3), sevenTools, flatWarmups('6775030d', 'e796d081'))),
  at('2.0.37/usagex', talk('10ee03e3', prompt(3), answered, flatWarmups('0176b337', '0c04b41d'))),
  at('2.0.37/websearch', talk('20aac322', prompt(3), answeredInThreeRows, flatWarmups('9701a630', 'f0cc78dc'))),

  // 2.0.77
  at(
    '2.0.77/agent',
    talk('f3bc3295', prompt(2), textThenTool, [
      flatAgent('ae50873', 'general-purpose', 'result', 4),
      ...flatWarmups('a41985a', 'a70554b', 'a9cb3cb'),
    ]),
  ),
  at(
    '2.0.77/agents2',
    talk('b9b97300', prompt(2), twoParallel, [
      flatAgent('a281822', 'general-purpose', 'result', 4),
      flatAgent('af2c1fc', 'Explore', 'result', 3),
      ...flatWarmups('a1877f0', 'a3dbeec', 'a4fdb55'),
    ]),
  ),
  at('2.0.77/ask', talk('4e8aeece', prompt(2), oneTool, flatWarmups('a9e148b', 'ab710cc', 'af8b407'))),
  at(
    '2.0.77/bgagent',
    talk('26e929f6', prompt(2), oneTool, [
      flatAgent('a72864e', 'general-purpose', 'result', 3),
      ...flatWarmups('aab6f0d', 'aba6e64', 'afffba9'),
    ]),
  ),
  at('2.0.77/bgbash', talk('5f87b560', prompt(2), twoTools, flatWarmups('ab68479', 'ac8b4ed', 'ac90c8b'))),
  at('2.0.77/big', talk('923ce718', prompt(2), twoTools, flatWarmups('acb5494', 'ada0e61', 'afa74c1'))),
  at('2.0.77/bigpar', talk('cfabc9e7', prompt(2), tenParallel, flatWarmups('a555dff', 'a7fa1bf', 'af9c39e'))),
  at(
    '2.0.77/compact',
    noTalk('0b8c1371', 'empty', flatWarmups('a030619', 'ae2b8ce', 'afa6f11')),
    talk('47c29e60', prompt(2), compacted, flatWarmups('a26adc2', 'a683c67', 'af9a026')),
    noTalk('82a9e066', 'empty', flatWarmups('ae00a95', 'af0516d', 'af525c9')),
    noTalk('b5d74e1e', 'empty', flatWarmups('a708e22', 'ab013e6', 'ab3e19f')),
  ),
  at(
    '2.0.77/continue',
    talk('3d41f254', prompt(2), sevenToolsThenAnswer, flatWarmups('a3a73c6', 'a628e3b', 'ad00546')),
    noTalk('8245cbe0', 'empty', flatWarmups('a0b8858', 'a52ebce', 'ab0afc0')),
  ),
  at('2.0.77/err', talk('a1dd2124', prompt(2), failed, flatWarmups('a97a5da', 'ad3a09a', 'ae08f38'))),
  at('2.0.77/err401', talk('674e9c55', prompt(2), failed, flatWarmups('a3bc09d', 'a528476', 'a57ff1e'))),
  at('2.0.77/err429', talk('08a010f5', prompt(2), failed, flatWarmups('a43be1e', 'a659e8d', 'afa7dd7'))),
  at('2.0.77/err529', talk('39b19d07', prompt(2), failed, flatWarmups('a8dd026', 'abc25a4', 'aff60b0'))),
  at(
    '2.0.77/fork',
    talk('6f91d325', prompt(2), sevenToolsThenAnswer, flatWarmups('a33e0d4', 'a4bcc16', 'a8a6718'), {
      forkedFrom: 'f364d435',
    }),
    talk('f364d435', prompt(2), sevenTools, flatWarmups('a37dfd5', 'af1cb1b', 'af22f76')),
  ),
  at('2.0.77/image', talk('f6d8a72e', prompt(2), oneTool, flatWarmups('a3fc26b', 'a5e0547', 'a90040c'))),
  // No projects folder: a root without a session.
  at('2.0.77/interrupt'),
  at(
    '2.0.77/maxtok',
    talk('59aba272', prompt(2), answeredTwiceWithError, flatWarmups('a4d18e9', 'ac0a1dd', 'ac26a1c')),
  ),
  at('2.0.77/midfail', talk('3eda1fde', prompt(2), answered, flatWarmups('a00a35c', 'a83e5ee', 'acc6028'))),
  at('2.0.77/multiedit', talk('68105ac8', prompt(2), threeTools, flatWarmups('a2a1dea', 'a811cc5', 'aba553c'))),
  at(
    '2.0.77/nested',
    talk('1f0e8399', prompt(2), oneTool, [
      flatAgent('a8550ad', 'general-purpose', 'result', 3),
      ...flatWarmups('a356ed8', 'a7d8145', 'ad48f5b'),
    ]),
  ),
  at('2.0.77/notebook', talk('799749f0', prompt(2), twoTools, flatWarmups('aa5517c', 'aa91350', 'ac0a198'))),
  at('2.0.77/parallel', talk('ddd9f16b', prompt(2), threeParallel, flatWarmups('a087278', 'a9d77d1', 'ac000d9'))),
  at('2.0.77/plan', talk('5643fa22', prompt(2), textThenTool, flatWarmups('a245e8b', 'aa350d4', 'ad05b42'))),
  at('2.0.77/refusal', talk('f81522b0', prompt(2), answeredInTwoRows, flatWarmups('a11825e', 'ab8f628', 'af5633d'))),
  at(
    '2.0.77/resume',
    talk('3b338ad9', prompt(2), threeTurns, flatWarmups('a13afc1', 'a87191f', 'aaf2196')),
    noTalk('4add99fb', 'empty', flatWarmups('a5330a0', 'a579e73', 'a6bf90d')),
    noTalk('8e3f0eaa', 'empty', flatWarmups('a170ea6', 'a22f380', 'aa2c101')),
  ),
  at('2.0.77/retryonce', talk('66790aec', prompt(2), answered, flatWarmups('a42053e', 'ae84ec8', 'afdcbbf'))),
  at('2.0.77/simple', talk('65a2f4cf', prompt(2), answered, flatWarmups('a7a1d06', 'adac2bf', 'adf1edc'))),
  at('2.0.77/skill', talk('adc51e7e', prompt(2), oneTool, flatWarmups('a13c480', 'a25d2b2', 'a7bb3d0'))),
  at(
    '2.0.77/slash',
    talk('260a2970', command(3), builtInWithOutputRow, flatWarmups('a0f57d9', 'a8907f1', 'abe4af7')),
    talk('4b760986', command(3), builtInWithOutputRow, flatWarmups('a0bc632', 'adc1008', 'af63ac5')),
    talk('f9f8ef30', command(2), ownCommand, flatWarmups('a1c0348', 'a65d948', 'ae7bc20')),
  ),
  at('2.0.77/streamin', talk('1a9f6a05', prompt(2), streamedIn, flatWarmups('ab0f006', 'ac101f5', 'af6eaf2'))),
  at('2.0.77/tasks', talk('56a56e45', prompt(2), sevenTaskTools, flatWarmups('a054fd8', 'a75b979', 'af0902c'))),
  at('2.0.77/think', talk('fcec30d5', prompt(2), answeredInTwoRows, flatWarmups('a65c528', 'a83f7ff', 'a882217'))),
  at('2.0.77/todo', talk('36d4569e', prompt(2), twoTools, flatWarmups('a1d82c9', 'a2714c8', 'a2bcafc'))),
  at('2.0.77/toolong', talk('30bbf912', prompt(2), failed, flatWarmups('a0a78cb', 'aaac7d4', 'ad589a9'))),
  at('2.0.77/tools', talk('03559c50', prompt(2), sevenTools, flatWarmups('a143b80', 'ac1c87b', 'aeebd43'))),
  at(
    '2.0.77/tui',
    // Line 23 begins with an exclamation mark but is plain text that the model answered: a prompt, not bash mode (also
    // 2.1.4 and 2.1.45). Lines 31 and 41 hang under the same command output: a rewind.
    talk(
      '089aa7ca',
      custom(25),
      counts(7, 31, 18, 7, 6, { branches: 2, compactions: 1 }),
      flatWarmups('a16148a', 'a8fd5fd', 'aab9c8c'),
    ),
    talk('c12450b0', prompt(6), afterClear, [flatAgent('a66e19d', 'general-purpose', 'result', 8)]),
  ),
  at('2.0.77/usagex', talk('09f29478', prompt(2), answered, flatWarmups('a3b5f31', 'a4d6a4a', 'ad22d58'))),
  at(
    '2.0.77/websearch',
    talk('4be04576', prompt(2), answeredInThreeRows, flatWarmups('a4a8d8d', 'a4e0d04', 'a882a26')),
  ),

  // 2.1.4
  at(
    '2.1.4/agent',
    talk('c2981692', prompt(2), textThenTool, [
      agent('a1cca1b', 'general-purpose', 'result', 4),
      ...warmups('a1aea2f', 'a893b7c', 'ae0ba8d'),
    ]),
  ),
  at(
    '2.1.4/agents2',
    talk('ec6902cc', prompt(2), twoParallel, [
      agent('a0b43f6', 'general-purpose', 'result', 4),
      agent('aff0a73', 'Explore', 'result', 3),
      ...warmups('a2713a1', 'a759598', 'ac893cb'),
    ]),
  ),
  at('2.1.4/ask', talk('f0de5af6', prompt(2), oneTool, warmups('a092200', 'a44fa34', 'ab57727'))),
  at(
    '2.1.4/bgagent',
    talk('eed6f1ad', prompt(2), oneTool, [
      agent('af4201d', 'general-purpose', 'result', 3),
      ...warmups('a0f2612', 'a379095', 'ac9300d'),
    ]),
  ),
  at('2.1.4/bgbash', talk('73471541', prompt(2), twoTools, warmups('a564b69', 'a735a2e', 'af73fde'))),
  at('2.1.4/big', talk('74d8cd77', prompt(2), twoTools, warmups('a6b7d14', 'a90adee', 'ab648c6'))),
  at('2.1.4/bigpar', talk('ad242f92', prompt(2), tenParallel, warmups('a420469', 'accf14a', 'ad39037'))),
  // A warmup's question lies in the folder of the id that is thrown away and its answer, under the same agent id, in
  // the folder of the resumed session (also resume): the second half has no user row and is incomplete. Agent ids are
  // unique within a session only.
  at(
    '2.1.4/compact',
    talk('0285d7b1', prompt(2), compacted, [
      ...warmups('a09f343', 'a52f02d', 'a6d59dc'),
      ...incomplete('a39e37b', 'a3f9506', 'a5cbec3', 'a783392', 'a7d202c', 'ad32dc0', 'ad6bb44', 'ae517c8', 'aed4d81'),
    ]),
    noTalk('38527527', 'empty', warmups('a3f9506', 'a5cbec3', 'aed4d81')),
    noTalk('6a2d9575', 'empty', warmups('a7d202c', 'ad32dc0', 'ae517c8')),
    noTalk('e1106f61', 'empty', warmups('a39e37b', 'a783392', 'ad6bb44')),
  ),
  // Three of these warmups carry the `sessionId` of the empty session; the folder decides.
  at(
    '2.1.4/continue',
    talk(
      '40d66e5d',
      prompt(2),
      sevenToolsThenAnswer,
      warmups('a051228', 'a3bbb20', 'a8b6b3e', 'a8f82f8', 'a8fc4ec', 'a98f806'),
    ),
    noTalk('67834111', 'empty'),
  ),
  at('2.1.4/err', talk('b3bc80c8', prompt(2), failed, warmups('a9e9191', 'aee3036', 'af1e4a0'))),
  at('2.1.4/err401', talk('81b3d7f2', prompt(2), failed, warmups('a208c8a', 'a529473', 'a791db6'))),
  at('2.1.4/err429', talk('3f273e03', prompt(2), failed, warmups('a397326', 'a758a84', 'a83a9fa'))),
  at('2.1.4/err529', talk('49963bad', prompt(2), failed, warmups('a0968ba', 'a5398ff', 'a6fdf27'))),
  at(
    '2.1.4/fork',
    talk('902449c2', prompt(2), sevenTools, warmups('a81eec7', 'aba7ebf', 'ada9fa5')),
    talk('a45ab7a7', prompt(2), sevenToolsThenAnswer, warmups('a0dc4fd', 'a8107c5', 'aab1886'), {
      forkedFrom: '902449c2',
    }),
  ),
  at('2.1.4/hooks', talk('5a742777', prompt(2), threeParallel, warmups('a32315e', 'a44823e', 'a4d39e5'))),
  at('2.1.4/image', talk('0040e554', prompt(2), oneTool, warmups('a1a01ff', 'a418fe6', 'a5d6120'))),
  // No projects folder: a root without a session.
  at('2.1.4/interrupt'),
  at('2.1.4/maxtok', talk('85edc849', prompt(2), answeredTwiceWithError, warmups('a024028', 'a2edbbb', 'a638c26'))),
  at('2.1.4/midfail', talk('7a14cb95', prompt(2), answered, warmups('a0ea56e', 'ab5a02a', 'acb8715'))),
  at('2.1.4/multiedit', talk('e4e17d5c', prompt(2), threeTools, warmups('a3ff4ab', 'a66b71f', 'ad39dfb'))),
  at(
    '2.1.4/nested',
    talk('ed18abcd', prompt(2), oneTool, [
      agent('aaf228b', 'general-purpose', 'result', 3),
      ...warmups('a2f21a1', 'ac0b993', 'afcbca8'),
    ]),
  ),
  at('2.1.4/notebook', talk('18eb4397', prompt(2), twoTools, warmups('a6b400d', 'ada44cc', 'af68247'))),
  at('2.1.4/parallel', talk('203ab961', prompt(2), threeParallel, warmups('a20a349', 'a271f1a', 'af4c964'))),
  at('2.1.4/plan', talk('1849a499', prompt(2), textThenTool, warmups('a5f45be', 'ad1703a', 'ad61965'))),
  at('2.1.4/refusal', talk('26514540', prompt(2), answeredInTwoRows, warmups('a7ee912', 'a9609e8', 'ab13385'))),
  at(
    '2.1.4/resume',
    noTalk('2924c03c', 'empty', warmups('a1ad162', 'a32cc5f', 'aa4310f')),
    talk('4f75155e', prompt(2), threeTurns, [
      ...warmups('a90c492', 'aa7464d', 'ae48650'),
      ...incomplete('a1ad162', 'a32cc5f', 'a86b5ee', 'ab5ce99', 'ae2fe07'),
    ]),
    noTalk('e57e4d8d', 'empty', warmups('a86b5ee', 'ab5ce99', 'ae2fe07')),
  ),
  at('2.1.4/retryonce', talk('4413e272', prompt(2), answered, warmups('a5d1889', 'a74b5f2', 'adc1eca'))),
  at('2.1.4/simple', talk('b14dfbb1', prompt(2), answered, warmups('a8ad03d', 'ac45e68', 'acd2496'))),
  at('2.1.4/skill', talk('1251dcb5', prompt(2), oneTool, warmups('a03f03a', 'a2a4ba3', 'a540fa5'))),
  at(
    '2.1.4/slash',
    talk('42723601', command(3), builtInWithOutputRow, warmups('a6a1ce8', 'ac621d0', 'af74021')),
    talk('50cc8eff', command(2), ownCommand, warmups('a48e94d', 'a702612', 'ad9976f')),
    talk('c9f4facf', command(3), builtInWithOutputRow, warmups('a038a21', 'a6d7919', 'abedd09')),
  ),
  at('2.1.4/slowpar', talk('9ca4d3a1', prompt(2), threeParallel, warmups('a0c992a', 'a53d094', 'a618c93'))),
  at('2.1.4/streamin', talk('b6b6eb5e', prompt(2), streamedIn, warmups('a7621ac', 'a9fd679', 'aada25d'))),
  at('2.1.4/tasks', talk('a87ff009', prompt(2), sevenTaskTools, warmups('aaef309', 'ae61bb6', 'afb62ab'))),
  at('2.1.4/think', talk('eb9e764e', prompt(2), answeredInTwoRows, warmups('a333921', 'a698fde', 'a838be2'))),
  at('2.1.4/todo', talk('fbcb9fe4', prompt(2), twoTools, warmups('a22ec6c', 'a4f4645', 'afde45c'))),
  at('2.1.4/toolong', talk('d58ea9f7', prompt(2), failed, warmups('a261a02', 'a57ef8e', 'ac2af96'))),
  at('2.1.4/tools', talk('32088f3f', prompt(2), sevenTools, warmups('a28f8f0', 'ac8715e', 'ae7b80e'))),
  at(
    '2.1.4/tui',
    // Lines 31 and 43 hang under the same command output.
    talk(
      '6f0dea3f',
      custom(25),
      counts(7, 33, 18, 7, 6, { branches: 2, compactions: 1 }),
      warmups('a29e599', 'a59bf0a', 'a8db961'),
    ),
    talk('ddbb1d5d', prompt(6), afterClear, [agent('a8b5006', 'general-purpose', 'result', 8)]),
  ),
  at('2.1.4/unicodepath', talk('2b2d9206', prompt(2), answered, warmups('a56e180', 'ac77d1a', 'afaca23'))),
  at('2.1.4/usagex', talk('6a59ec10', prompt(2), answered, warmups('a213522', 'a9f010c', 'ab0ae3e'))),
  at('2.1.4/websearch', talk('c3b96a27', prompt(2), answeredInThreeRows, warmups('a1f3629', 'a57d332', 'adbe2cc'))),

  // 2.1.45
  at('2.1.45/agent', talk('03d1a7cc', prompt(2), textThenTool, [agent('a5c1b86', 'general-purpose', 'result', 4)])),
  at(
    '2.1.45/agents2',
    talk('987f7a8c', prompt(2), twoParallel, [
      agent('a4e8383', 'Explore', 'result', 3),
      agent('ad13114', 'general-purpose', 'result', 4),
    ]),
  ),
  at('2.1.45/ask', talk('cff2a0f1', prompt(2), oneTool)),
  at('2.1.45/bgagent', talk('2bfb3144', prompt(2), toolThenNotice, [agent('a8103d2', 'general-purpose', 'result', 3)])),
  // The notice (line 13) has no origin field; only its tag tells.
  at('2.1.45/bgbash', talk('4572c151', prompt(2), counts(1, 8, 5, 1, 2))),
  at('2.1.45/big', talk('98cf87b2', prompt(2), twoTools)),
  at('2.1.45/bigpar', talk('e3aa6733', prompt(2), tenParallel)),
  at('2.1.45/compact', talk('b94b2b4e', prompt(2), compacted)),
  at('2.1.45/continue', talk('46fea334', prompt(2), sevenToolsThenAnswer)),
  at('2.1.45/err', talk('ba875c03', prompt(2), failed)),
  at('2.1.45/err401', talk('500cd126', prompt(2), failed)),
  at('2.1.45/err429', talk('3e5dca9d', prompt(2), failed)),
  at('2.1.45/err529', talk('91d7015e', prompt(2), failed)),
  // All copied rows keep the source's `sessionId` (also 2.1.68).
  at(
    '2.1.45/fork',
    talk('5d67c8ce', prompt(2), sevenTools),
    talk('fc572dfb', prompt(2), sevenToolsThenAnswer, [], { forkedFrom: '5d67c8ce' }),
  ),
  at('2.1.45/image', talk('3ceb077c', prompt(2), oneTool)),
  at('2.1.45/interrupt', talk('30162076', prompt(2), cutInTool), noTalk('53d52863', 'metadata-only')),
  at('2.1.45/maxtok', talk('3f5deb2c', prompt(2), answeredTwiceWithError)),
  at('2.1.45/midfail', talk('e667c0ee', prompt(2), answeredTwice)),
  at('2.1.45/monitor', talk('cae6f3db', prompt(2), oneTool)),
  at('2.1.45/multiedit', talk('806924fd', prompt(2), threeTools)),
  at('2.1.45/nested', talk('e280b919', prompt(2), oneTool, [agent('a928528', 'general-purpose', 'result', 3)])),
  at('2.1.45/notebook', talk('b3cfe00f', prompt(2), twoTools)),
  at('2.1.45/parallel', talk('02532021', prompt(2), threeParallel)),
  at('2.1.45/plan', talk('8d75aa25', prompt(2), textThenTool)),
  at('2.1.45/refusal', talk('144e6021', prompt(2), answeredInTwoRows)),
  at('2.1.45/resume', talk('f54b594c', prompt(2), threeTurns)),
  at('2.1.45/retryonce', talk('664c904b', prompt(2), answered)),
  at('2.1.45/simple', talk('27eb1b00', prompt(2), answered)),
  at('2.1.45/skill', talk('4789c943', prompt(2), oneTool)),
  at(
    '2.1.45/slash',
    talk('41d62505', command(3), builtInWithOutputRow),
    talk('6cbe9c4e', command(2), ownCommand),
    talk('e558391f', command(3), builtInWithOutputRow),
  ),
  at('2.1.45/slowpar', talk('1ff37440', prompt(2), threeParallel)),
  at('2.1.45/streamin', talk('1f1e96c3', prompt(2), streamedIn)),
  at('2.1.45/tasks', talk('0ebeabdd', prompt(2), sevenTaskTools)),
  at('2.1.45/think', talk('80506f20', prompt(2), answeredInTwoRows)),
  at('2.1.45/todo', talk('068a7271', prompt(2), twoTools)),
  at('2.1.45/toolong', talk('165d89db', prompt(2), failed)),
  at('2.1.45/tools', talk('1a31b39e', prompt(2), sevenTools)),
  at(
    '2.1.45/tui',
    // Lines 34 and 43 hang under the same command output.
    talk('52d29ae5', custom(28), counts(8, 35, 20, 8, 7, { branches: 2, compactions: 1 })),
    // The title was carried over by /clear and stands in this file too. In the agent's file two assistant rows come
    // before the user row that is their parent.
    talk('fa08cfca', custom(24), afterClear, [agent('abf17e9', 'general-purpose', 'result', 9)]),
  ),
  at('2.1.45/usagex', talk('16d7c1f1', prompt(2), answered)),
  at('2.1.45/websearch', talk('35417c56', prompt(2), answered)),
  at('2.1.45/workflow', talk('bb389e0e', prompt(2), oneTool)),
  at('2.1.45/worktree', talk('48745658', prompt(2), threeTools)),

  // 2.1.68
  at('2.1.68/agent', talk('ba7e75b4', prompt(3), textThenTool, [agent('add082daa0', 'general-purpose', 'result', 5)])),
  at(
    '2.1.68/agents2',
    talk('68f0fd80', prompt(3), twoParallel, [
      agent('a2316fcd9b', 'Explore', 'result', 4),
      agent('a9ac1b5f86', 'general-purpose', 'result', 5),
    ]),
  ),
  at('2.1.68/ask', talk('da629f19', prompt(3), oneTool)),
  at(
    '2.1.68/bgagent',
    talk('266223e5', prompt(3), toolThenNotice, [agent('aff326c657', 'general-purpose', 'result', 4)]),
  ),
  at('2.1.68/bgbash', talk('e74b2783', prompt(3), twoTools)),
  at('2.1.68/big', talk('91f41a6a', prompt(3), twoTools)),
  at('2.1.68/bigpar', talk('b9de2fa9', prompt(3), tenParallel)),
  at('2.1.68/compact', talk('27c624a8', prompt(3), compacted)),
  at('2.1.68/continue', talk('ff9a315a', prompt(3), sevenToolsThenAnswer)),
  at('2.1.68/err', talk('5cf3e5fc', prompt(3), failed)),
  at('2.1.68/err401', talk('d1b54600', prompt(3), failed)),
  at('2.1.68/err429', talk('cf51d932', prompt(3), failed)),
  at('2.1.68/err529', talk('67174866', prompt(3), failed)),
  at(
    '2.1.68/fork',
    talk('613cca52', prompt(3), sevenTools),
    talk('eabb4cec', prompt(3), sevenToolsThenAnswer, [], { forkedFrom: '613cca52' }),
  ),
  at('2.1.68/image', talk('176b8d56', prompt(3), oneTool)),
  at('2.1.68/interrupt', talk('01317053', prompt(3), cutInTool), noTalk('f9c9e169', 'metadata-only')),
  at('2.1.68/maxtok', talk('69222ada', prompt(3), answeredTwiceWithError)),
  at('2.1.68/midfail', talk('ab2a7dc0', prompt(3), answeredTwice)),
  at('2.1.68/monitor', talk('fbd3683b', prompt(3), oneTool)),
  at('2.1.68/multiedit', talk('599a855f', prompt(3), threeTools)),
  // The inner agent's result row has no toolUseResult; the progress rows in the outer agent's file tell its id.
  at(
    '2.1.68/nested',
    talk('362774f1', prompt(3), oneTool, [
      agent('a4f3ffa21a', 'general-purpose', 'result', 4),
      agent('a5134bd749', 'general-purpose', 'progress', 2, 'a4f3ffa21a'),
    ]),
  ),
  at('2.1.68/notebook', talk('c05b5203', prompt(3), twoTools)),
  at('2.1.68/parallel', talk('620f7b1d', prompt(3), threeParallel)),
  at('2.1.68/plan', talk('8aa85a9d', prompt(3), textThenTool)),
  at('2.1.68/refusal', talk('4fc90a69', prompt(3), answeredInTwoRows)),
  at('2.1.68/resume', talk('3a24b7da', prompt(3), threeTurns)),
  at('2.1.68/retryonce', talk('717c0eca', prompt(3), answered)),
  at('2.1.68/simple', talk('e0a51ea3', prompt(3), answered)),
  at('2.1.68/skill', talk('71e2cc77', prompt(3), oneTool)),
  at(
    '2.1.68/slash',
    talk('87578833', command(3), ownCommand),
    talk('d7e24235', command(4), builtIn),
    talk('eb9d25d5', command(4), builtIn),
  ),
  at('2.1.68/slowpar', talk('9cb267fc', prompt(3), threeParallel)),
  at('2.1.68/streamin', talk('398e81f9', prompt(3), streamedIn)),
  at('2.1.68/tasks', talk('6f40fadc', prompt(3), sevenTaskTools)),
  at('2.1.68/think', talk('a7f489a0', prompt(3), answeredInTwoRows)),
  at('2.1.68/todo', talk('aaef1b22', prompt(3), twoTools)),
  at('2.1.68/toolong', talk('052c5dad', prompt(3), failed)),
  at('2.1.68/tools', talk('6748e5e2', prompt(3), sevenTools)),
  at('2.1.68/usagex', talk('984352f5', prompt(3), answered)),
  at('2.1.68/websearch', talk('ee008ebf', prompt(3), answered)),
  at('2.1.68/workflow', talk('245344dd', prompt(3), oneTool)),
  at('2.1.68/worktree', talk('8ca19f0a', prompt(3), threeTools)),

  // 2.1.112
  at('2.1.112/agent', talk('0d9f18a4', prompt(3), textThenTool, [agent('a1e98f970a', 'general-purpose', 'result', 6)])),
  at(
    '2.1.112/agents2',
    talk('a05433c3', prompt(3), twoParallel, [
      agent('a54d5d3bdf', 'general-purpose', 'result', 6),
      agent('a80a4380f6', 'Explore', 'result', 5),
    ]),
  ),
  at('2.1.112/ask', talk('b803ee85', prompt(3), oneTool)),
  at('2.1.112/autocompact', talk('7ab843e9', prompt(3), counts(3, 23, 13, 3, 7, { compactions: 1 }))),
  at(
    '2.1.112/bgagent',
    talk('6eb8a39d', prompt(3), toolThenNotice, [agent('a4c0962d24', 'general-purpose', 'result', 5)]),
  ),
  // The queued_command attachment is a task notification: not a prompt (also 2.1.200 and 2.1.325).
  at('2.1.112/bgbash', talk('d5cb5c9a', prompt(3), twoTools)),
  at('2.1.112/big', talk('bf556286', prompt(3), twoTools)),
  at('2.1.112/bigpar', talk('59591372', prompt(3), tenParallel)),
  at('2.1.112/compact', talk('2436855d', prompt(3), compacted)),
  at('2.1.112/continue', talk('deb1028e', prompt(3), sevenToolsThenAnswer)),
  at('2.1.112/err', talk('972e09a7', prompt(3), failed)),
  at('2.1.112/err401', talk('50963f75', prompt(3), failed)),
  at('2.1.112/err429', talk('9371cc99', prompt(3), failed)),
  at('2.1.112/err529', talk('249b8232', prompt(3), failed)),
  at(
    '2.1.112/fork',
    talk('53a87a34', prompt(3), sevenToolsThenAnswer, [], { forkedFrom: '6dee3a5f' }),
    talk('6dee3a5f', prompt(3), sevenTools),
  ),
  at('2.1.112/hooks', talk('fc5cbbaf', prompt(4), threeParallel)),
  at('2.1.112/image', talk('bb770745', prompt(3), oneTool)),
  at('2.1.112/interrupt', talk('2fa3993a', prompt(3), cutInTool)),
  at('2.1.112/maxtok', talk('5ed11dff', prompt(3), answeredTwice)),
  at('2.1.112/midfail', talk('148db857', prompt(3), answeredInTwoRows)),
  at('2.1.112/monitor', talk('ebbaa4f6', prompt(3), oneTool)),
  at('2.1.112/multiedit', talk('93e411ee', prompt(3), threeTools)),
  // Neither meta.json nor a result row names the inner call: the prompt's text does.
  at(
    '2.1.112/nested',
    talk('b066263f', prompt(3), oneTool, [
      agent('a62091b515', 'general-purpose', 'result', 5),
      agent('ab741aaf33', 'general-purpose', 'prompt', 2, 'a62091b515'),
    ]),
  ),
  at('2.1.112/notebook', talk('81b63de1', prompt(3), twoTools)),
  at('2.1.112/parallel', talk('3b425348', prompt(3), threeParallel)),
  at('2.1.112/plan', talk('0a602c6f', prompt(3), textThenTool)),
  at('2.1.112/refusal', talk('f5edd778', prompt(3), answeredInTwoRows)),
  at('2.1.112/resume', talk('b4c57e4c', prompt(3), threeTurns)),
  at('2.1.112/retryonce', talk('2d428dbf', prompt(3), answered)),
  at('2.1.112/simple', talk('01ac8fd8', prompt(3), answered)),
  at('2.1.112/skill', talk('442b1632', prompt(3), oneTool)),
  at(
    '2.1.112/slash',
    talk('0d763405', command(4), builtIn),
    talk('277071ab', command(4), builtIn),
    talk('b840078c', command(3), ownCommand),
  ),
  at('2.1.112/streamin', talk('327e34ab', prompt(4), streamedIn)),
  at('2.1.112/tasks', talk('be920de1', prompt(3), sevenTaskTools)),
  at('2.1.112/think', talk('7234e213', prompt(3), answeredInTwoRows)),
  at('2.1.112/todo', talk('10b00feb', prompt(3), twoTools)),
  at('2.1.112/toolong', talk('6baaf6bc', prompt(3), failed)),
  at('2.1.112/tools', talk('a86c18a0', prompt(3), sevenTools)),
  at(
    '2.1.112/tui',
    // One row fewer than 2.1.45: the output of /clear is a system row here.
    talk('5c612fcb', custom(22), counts(2, 12, 7, 2, 3), [agent('adda0d80ec', 'general-purpose', 'result', 11)]),
    // Lines 38 and 45 hang under the same interrupt marker. The bash input on line 25 was not answered: no turn.
    // /rename is a system row.
    talk('727cf37e', custom(60), counts(8, 36, 20, 8, 7, { branches: 2, compactions: 1 })),
  ),
  at('2.1.112/unicodepath', talk('304905fa', prompt(3), answered)),
  at('2.1.112/usagex', talk('dceb2047', prompt(3), answered)),
  at('2.1.112/websearch', talk('9bbc7df4', prompt(3), answeredInThreeRows)),
  at('2.1.112/workflow', talk('8a9936db', prompt(3), oneTool)),
  at('2.1.112/worktree', talk('d692221a', prompt(3), threeTools)),

  // 2.1.200
  // promptSource is `sdk` on notifications too in this version; origin tells.
  at(
    '2.1.200/agent',
    talk('09a07c79', prompt(3), textToolThenNotice, [agent('a3b4b4884f', 'general-purpose', 'meta', 7)]),
  ),
  at(
    '2.1.200/agents2',
    talk('bcb1ffb6', prompt(3), twoToolsThenTwoNotices, [
      agent('a742ec9d02', 'Explore', 'meta', 6),
      agent('abb01bddc5', 'general-purpose', 'meta', 8),
    ]),
  ),
  at('2.1.200/ask', talk('0883715e', prompt(3), oneTool)),
  at(
    '2.1.200/bgagent',
    talk('e8432232', prompt(3), toolThenNotice, [agent('aeeebfe90c', 'general-purpose', 'meta', 6)]),
  ),
  at('2.1.200/bgbash', talk('a9fd083a', prompt(3), twoTools)),
  at('2.1.200/big', talk('5bf2bf94', prompt(3), twoTools)),
  at('2.1.200/bigpar', talk('a3ff15ab', prompt(3), tenParallel)),
  at('2.1.200/compact', talk('117de308', prompt(3), compacted)),
  at('2.1.200/continue', talk('09937baa', prompt(3), sevenToolsThenAnswer)),
  at('2.1.200/err', talk('0fad1703', prompt(3), failed)),
  at('2.1.200/err401', talk('b2f59410', prompt(3), failed)),
  at('2.1.200/err429', talk('4f507b41', prompt(3), failed)),
  at('2.1.200/err529', talk('df0be801', prompt(3), failed)),
  at(
    '2.1.200/fork',
    talk('01de0101', prompt(3), sevenTools),
    talk('74aabee0', prompt(4), sevenToolsThenAnswer, [], { forkedFrom: '01de0101' }),
  ),
  at('2.1.200/image', talk('f1c7f40c', prompt(3), oneTool)),
  at('2.1.200/interrupt', talk('e95ee73d', prompt(3), unanswered), talk('efffbae7', prompt(3), textThenTool)),
  at('2.1.200/maxtok', talk('e725f3e0', prompt(3), answeredTwice)),
  at('2.1.200/midfail', talk('f6d06bd4', prompt(3), answeredInTwoRows)),
  at('2.1.200/monitor', talk('00470426', prompt(3), oneTool)),
  at('2.1.200/multiedit', talk('ff4afb48', prompt(3), threeTools)),
  // meta.json names the call, which stands in the outer agent's file; it has no parentAgentId yet.
  at(
    '2.1.200/nested',
    talk('434002ac', prompt(3), counts(1, 8, 5, 1, 1), [
      agent('a132f3f186', 'general-purpose', 'meta', 6),
      agent('a4fd53644b', 'general-purpose', 'meta', 3, 'a132f3f186'),
    ]),
  ),
  at('2.1.200/notebook', talk('61f8d4e5', prompt(3), twoTools)),
  at('2.1.200/parallel', talk('8c42d5a8', prompt(3), threeParallel)),
  at('2.1.200/plan', talk('2499e0d9', prompt(3), textThenTool)),
  at('2.1.200/refusal', talk('4d7bdd2d', prompt(3), answeredInTwoRows)),
  at('2.1.200/resume', talk('ebba468d', prompt(3), threeTurns)),
  at('2.1.200/retryonce', talk('e841e54d', prompt(3), answered)),
  at('2.1.200/simple', talk('e75d59c8', prompt(3), answered)),
  at('2.1.200/skill', talk('23924983', prompt(3), oneTool)),
  at(
    '2.1.200/slash',
    talk('2bfccf49', command(3), ownCommand),
    talk('d940f227', command(4), builtIn),
    talk('f469440d', command(4), builtIn),
  ),
  at('2.1.200/streamin', talk('d8203bc4', prompt(3), streamedIn)),
  at('2.1.200/tasks', talk('c4b31078', prompt(3), sevenTaskTools)),
  at('2.1.200/think', talk('2f251a0d', prompt(3), answeredInTwoRows)),
  at('2.1.200/todo', talk('950408e6', prompt(3), twoTools)),
  at('2.1.200/toolong', talk('01b60619', prompt(3), failed)),
  at('2.1.200/tools', talk('8b777bdd', prompt(3), sevenTools)),
  at('2.1.200/usagex', talk('66501c8e', prompt(3), answered)),
  at('2.1.200/websearch', talk('acc8a51c', prompt(3), answeredInThreeRows)),
  // A workflow's agent lies in a folder named after the run, and the result of the Workflow call names that run.
  at(
    '2.1.200/workflow',
    talk('75465dca', prompt(3), toolThenNotice, [workflowAgent('aee590d51a', 'workflow-subagent', 6)]),
  ),
  at('2.1.200/worktree', talk('4415e69e', prompt(3), threeTools)),

  // 2.1.325
  at(
    '2.1.325/agent',
    talk('8557a6be', prompt(3), textToolThenNotice, [agent('a6b53c6e62', 'general-purpose', 'meta', 24)]),
  ),
  at(
    '2.1.325/agents2',
    talk('10ceafbe', prompt(3), twoToolsThenTwoNotices, [
      agent('a5cc7607a5', 'general-purpose', 'meta', 25),
      agent('a85ad5447c', 'Explore', 'meta', 23),
    ]),
  ),
  at('2.1.325/ask', talk('1d989cb5', prompt(3), oneTool)),
  // Line 67 is compacted before it is answered and is not written again.
  at('2.1.325/autocompact', talk('4b8cccf2', prompt(3), counts(3, 31, 14, 3, 10, { compactions: 1 }))),
  at(
    '2.1.325/bgagent',
    talk('ea78aed0', prompt(3), toolThenNotice, [agent('a7ca003705', 'general-purpose', 'meta', 23)]),
  ),
  at('2.1.325/bgbash', talk('caa35ad3', prompt(3), twoTools)),
  at('2.1.325/big', talk('457e6fef', prompt(3), twoTools)),
  at('2.1.325/bigpar', talk('87836e95', prompt(3), tenParallel)),
  // No synthetic row after /compact: one row fewer than before.
  at('2.1.325/compact', talk('a32e0d9f', prompt(3), counts(3, 24, 13, 3, 7, { compactions: 1 }))),
  at('2.1.325/continue', talk('1d458d5b', prompt(3), sevenToolsThenAnswer)),
  at('2.1.325/err', talk('ee1871b8', prompt(3), failed)),
  at('2.1.325/err401', talk('3db6909d', prompt(3), failed)),
  at('2.1.325/err429', talk('f6f9e5d1', prompt(3), failed)),
  at('2.1.325/err529', talk('cdce1112', prompt(3), failed)),
  // --fork-session leaves no forkedFrom; the requests are in the first.
  at(
    '2.1.325/fork',
    talk('10bb93ad', prompt(6), sevenToolsThenAnswer, [], { forkedFrom: '47f213a5' }),
    talk('47f213a5', prompt(3), sevenTools),
  ),
  at('2.1.325/hooks', talk('c9be27b4', prompt(4), threeParallel)),
  at('2.1.325/image', talk('a756fbfe', prompt(3), oneTool)),
  at('2.1.325/interrupt', talk('01cde4fa', prompt(3), unanswered), talk('2639706e', prompt(3), textThenTool)),
  at('2.1.325/maxtok', talk('655ef83b', prompt(3), answeredTwice)),
  at('2.1.325/midfail', talk('b6df8a2b', prompt(3), counts(1, 6, 5, 1, 0))),
  at('2.1.325/monitor', talk('d213819a', prompt(3), counts(1, 12, 7, 1, 1))),
  at('2.1.325/multiedit', talk('75e926ec', prompt(3), threeTools)),
  at('2.1.325/named', talk('9b676c01', custom(30), answered)),
  at(
    '2.1.325/nested',
    talk('9e1ac759', prompt(3), toolThenNotice, [
      agent('a67389f327', 'general-purpose', 'meta', 15, 'ac9af0c8fd'),
      agent('ac9af0c8fd', 'general-purpose', 'meta', 23),
    ]),
  ),
  at('2.1.325/notebook', talk('840dc2f9', prompt(3), twoTools)),
  at('2.1.325/parallel', talk('b1cf5987', prompt(3), threeParallel)),
  at('2.1.325/plan', talk('21a74a58', prompt(3), textThenTool)),
  at('2.1.325/refusal', talk('d712e995', prompt(3), answeredTwiceWithError)),
  at('2.1.325/resume', talk('56ac44a4', prompt(3), threeTurns)),
  at('2.1.325/retryonce', talk('f9cde448', prompt(3), answered)),
  at(
    '2.1.325/sdkops',
    talk('1de70a56', custom(34), sevenTools, [], { forkedFrom: 'd118a429' }),
    // The same session as in `tools`, renamed and tagged later.
    talk('d118a429', custom(59), sevenTools),
  ),
  at('2.1.325/simple', talk('7bd4689f', prompt(3), answered)),
  at('2.1.325/skill', talk('946b38f9', prompt(3), oneTool)),
  at(
    '2.1.325/slash',
    talk('40cea3ca', command(4), builtIn),
    talk('b79ade47', command(4), builtIn),
    talk('b84af83c', command(3), ownCommand),
  ),
  at('2.1.325/slowpar', talk('c1192e6e', prompt(3), threeParallel)),
  at('2.1.325/streamin', talk('97846eab', prompt(4), streamedIn)),
  at('2.1.325/tasks', talk('81c9490b', prompt(3), sevenTaskTools)),
  at('2.1.325/tasks-sonnet46', talk('13eed1d6', prompt(3), sevenTaskTools)),
  at('2.1.325/think', talk('c7ed47d4', prompt(3), answeredInTwoRows)),
  at('2.1.325/todo', talk('3c82d3d9', prompt(3), twoTools)),
  at('2.1.325/toolong', talk('b1a370aa', prompt(3), failed)),
  at('2.1.325/tools', talk('d118a429', prompt(3), sevenTools)),
  at(
    '2.1.325/tui',
    // Line 48 is a prompt that came as an attachment: a prompt, not a row. The bash input on line 55 was answered: a
    // turn more than prompts. Lines 55 and 91 hang under the same system row.
    talk('20d6a2cb', custom(82, 'custom-title.json'), counts(5, 17, 13, 6, 3, { branches: 2 })),
    // Only the copied rows carry forkedFrom; the copy was made after the rewind and holds one branch.
    talk('3f7aabfe', custom(91, 'custom-title.json'), counts(5, 16, 12, 5, 3, { compactions: 1 }), [], {
      forkedFrom: '20d6a2cb',
    }),
    // Line 160 is a custom command: a prompt, not a row. The title was carried over by /clear.
    talk('cb2f2c23', custom(148, 'custom-title.json'), counts(8, 42, 25, 8, 10), [
      agent('a80c263bc5', 'general-purpose', 'meta', 128),
      agent('ad1faae9bf', 'Explore', 'meta', 126),
    ]),
  ),
  at('2.1.325/tui2', talk('b5e575ca', prompt(6), sevenTaskTools)),
  // Lines 67 and 86 hang under the same system row. The compact boundary names line 32 as its logical parent, where
  // line 36 hangs too: no branch.
  at('2.1.325/tui3', talk('941a8c55', prompt(5), counts(7, 21, 17, 7, 3, { branches: 2, compactions: 1 }))),
  at('2.1.325/unicodepath', talk('9d9e72ab', prompt(3), answered)),
  at('2.1.325/usagex', talk('b9977c2b', prompt(3), answered)),
  at('2.1.325/websearch', talk('c6045374', prompt(3), answeredInThreeRows)),
  at(
    '2.1.325/workflow',
    talk('05e81e4e', prompt(3), toolThenNotice, [workflowAgent('a0e69f76cd', 'workflow-subagent', 23)]),
  ),
  at('2.1.325/worktree', talk('50d97034', prompt(3), threeTools)),
]

function at(root: string, ...sessions: readonly SessionTruth[]): Scenario {
  return { root, sessions }
}

function talk(
  id: string,
  title: TitleTruth,
  counted: Counts,
  agents: readonly AgentTruth[] = [],
  kin: Pick<SessionTruth, 'forkedFrom' | 'continues'> = {},
): SessionTruth {
  return { id, kind: 'conversation', title, ...counted, agents, ...kin }
}

/** A file without any user or assistant row: no branch either. */
function noTalk(
  id: string,
  kind: Exclude<SessionKind, 'conversation'>,
  agents: readonly AgentTruth[] = [],
): SessionTruth {
  return { id, kind, title: untitled, ...counts(0, 0, 0, 0, 0, { branches: 0 }), agents }
}

function counts(
  prompts: number,
  rows: number,
  messages: number,
  turns: number,
  toolCalls: number,
  { branches = 1, compactions = 0 }: { branches?: number; compactions?: number } = {},
): Counts {
  return { prompts, rows, messages, turns, toolCalls, branches, compactions }
}

function prompt(line: number): TitleTruth {
  return { from: 'prompt', line }
}

function command(line: number): TitleTruth {
  return { from: 'prompt', line, field: 'command' }
}

function custom(line: number, sidecar?: 'custom-title.json'): TitleTruth {
  return sidecar ? { from: 'custom', line, sidecar } : { from: 'custom', line }
}

function summary(line: number, file?: string): TitleTruth {
  return file ? { from: 'summary', line, file } : { from: 'summary', line }
}

function eitherSummary(line: number, or: TextPlace): TitleTruth {
  return { from: 'summary', line, or }
}

/** An agent in `<session>/subagents/`. */
function agent(id: string, type: string, call: CallLink, callLine: number, parentAgent?: string): AgentTruth {
  const task: AgentTruth = { id, class: 'task', type, linkedBy: { session: 'folder', call }, callLine }
  return parentAgent ? { ...task, parentAgent } : task
}

/** An agent in a file beside the session's own. */
function flatAgent(id: string, type: string, call: CallLink, callLine: number): AgentTruth {
  return { id, class: 'task', type, linkedBy: { session: 'sessionId', call }, callLine }
}

/** An agent inside the main file, from a sidechain row without a parent. */
function inlineAgent(firstLine: number, type: string, callLine: number): AgentTruth {
  return {
    id: String(firstLine),
    class: 'task',
    type,
    linkedBy: { session: 'sessionId', call: 'prompt' },
    callLine,
  }
}

function workflowAgent(id: string, type: string, callLine: number): AgentTruth {
  return { id, class: 'workflow', type, linkedBy: { session: 'folder', call: 'result' }, callLine }
}

function warmups(...ids: readonly string[]): readonly AgentTruth[] {
  return ids.map((id) => unlinked(id, 'warmup', 'folder'))
}

function flatWarmups(...ids: readonly string[]): readonly AgentTruth[] {
  return ids.map((id) => unlinked(id, 'warmup', 'sessionId'))
}

function incomplete(...ids: readonly string[]): readonly AgentTruth[] {
  return ids.map((id) => unlinked(id, 'incomplete', 'folder'))
}

function unlinked(id: string, kind: AgentClass, session: 'folder' | 'sessionId'): AgentTruth {
  return { id, class: kind, type: null, linkedBy: { session, call: null }, callLine: null }
}
