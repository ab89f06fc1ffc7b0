import { expect, test } from 'vitest'
import { type FilePlace, placeOf } from './layout.ts'

const at = { project: '-p', session: 's' }

test.each<[string, FilePlace]>([
  ['projects/-p/.jsonl', { kind: 'session', project: '-p', session: '.jsonl' }],
  ['projects/-p/s.jsonl', { kind: 'session', ...at }],
  ['projects/-p/not a uuid.jsonl', { kind: 'session', project: '-p', session: 'not a uuid' }],
  ['projects/-p/agent-1a2b3c4d.jsonl', { kind: 'agent', project: '-p', session: null, agent: '1a2b3c4d', run: null }],
  ['projects/-p/s/subagents/agent-a12.jsonl', { kind: 'agent', ...at, agent: 'a12', run: null }],
  ['projects/-p/s/subagents/agent-acompact-12.jsonl', { kind: 'agent', ...at, agent: 'acompact-12', run: null }],
  ['projects/-p/s/subagents/agent-a12.meta.json', { kind: 'agent-meta', ...at, agent: 'a12', run: null }],
  ['projects/-p/s/subagents/workflows/wf_1/agent-a12.jsonl', { kind: 'agent', ...at, agent: 'a12', run: 'wf_1' }],
  [
    'projects/-p/s/subagents/workflows/wf_1/agent-a12.meta.json',
    { kind: 'agent-meta', ...at, agent: 'a12', run: 'wf_1' },
  ],
  [
    'projects/-p/s/subagents/workflows/wf_1/journal.jsonl',
    { kind: 'journal', ...at, name: 'subagents/workflows/wf_1/journal.jsonl' },
  ],
  ['projects/-p/s/workflows/wf_1.json', { kind: 'workflow', ...at, name: 'workflows/wf_1.json' }],
  ['projects/-p/s/workflows/scripts/x-wf_1.js', { kind: 'workflow', ...at, name: 'workflows/scripts/x-wf_1.js' }],
  ['projects/-p/s/tool-results/b1.txt', { kind: 'tool-result', ...at, name: 'b1.txt' }],
  ['projects/-p/s/tool-resultsX', { kind: 'session-other', ...at, name: 'tool-resultsX' }],
  ['projects/-p/s/custom-title.json', { kind: 'custom-title', ...at, name: 'custom-title.json' }],
  ['projects/-p/s/resume-head.jsonl', { kind: 'session-other', ...at, name: 'resume-head.jsonl' }],
  ['projects/-p/s/archived.json', { kind: 'session-other', ...at, name: 'archived.json' }],
  ['projects/-p/s/remote-agents/agent-x.jsonl', { kind: 'session-other', ...at, name: 'remote-agents/agent-x.jsonl' }],
  ['projects/-p/resume-head.jsonl', { kind: 'project-other', project: '-p', name: 'resume-head.jsonl' }],
  ['projects/-p/journal.jsonl', { kind: 'project-other', project: '-p', name: 'journal.jsonl' }],
  ['projects/-p/sessions-index.json', { kind: 'sessions-index', project: '-p', name: 'sessions-index.json' }],
  ['projects/-p/memory/MEMORY.md', { kind: 'memory', project: '-p', name: 'MEMORY.md' }],
  ['projects/-p/.session-aliases', { kind: 'project-other', project: '-p', name: '.session-aliases' }],
  ['projects/-p/agent-x.txt', { kind: 'project-other', project: '-p', name: 'agent-x.txt' }],
  ['projects/stray.jsonl', { kind: 'other', name: 'projects/stray.jsonl' }],
  ['history.jsonl', { kind: 'other', name: 'history.jsonl' }],
  ['jobs/1/timeline.jsonl', { kind: 'other', name: 'jobs/1/timeline.jsonl' }],
  ['projects/__proto__/constructor.jsonl', { kind: 'session', project: '__proto__', session: 'constructor' }],
])('%s', (path, place) => expect(placeOf(path)).toEqual(place))
