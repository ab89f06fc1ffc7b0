import { createHash } from 'node:crypto'
import { agentId, runAgent, writeMeta } from './agents.ts'
import { addLines } from './joined-lines.ts'
import { closeResponse } from './responses.ts'
import type { RecordedWorkflow } from './steps.ts'
import { addFile, iso, type Line, type Thread } from './thread.ts'
import { pushResult } from './tools.ts'

/** A workflow: the call that starts it, its agents in a folder of their own, the journal and the run's record. */
export function runWorkflow(thread: Thread, spec: RecordedWorkflow): void {
  const { session } = thread
  const { ids, generation } = session
  const runId = `wf_${ids.hex(8)}-${ids.hex(3)}`
  const taskId = `w${ids.base36(8)}`
  const phases = [...new Set(spec.agents.map(({ phase }) => phase))]
  const script = scriptOf(spec, phases)
  const home = `${session.projectDir}/${session.fileId}`
  const dir = `${home}/subagents/workflows/${runId}`
  const scriptFile = `${home}/workflows/scripts/${spec.name}-${runId}.js`
  const startTime = thread.now

  const toolUseId = ids.toolUseId()
  const call = { type: 'tool_use', id: toolUseId, name: 'Workflow', input: { script } }
  const line = closeResponse(thread, [call], 'tool_use').lines.at(-1) ?? ''

  const journal: Line[] = [{ row: { type: 'launched' } }]
  let now = thread.now
  const progress = spec.agents.map((agentSpec, index) => {
    const id = agentId(session)
    const agent = { id, type: 'workflow-subagent', depth: 1 }
    const lines: Line[] = []
    const ran = runAgent(thread, agent, agentSpec, now, lines)
    const key = `v2:${createHash('sha256').update(agentSpec.prompt).digest('hex')}`
    const label = agentSpec.description
    journal.push({ row: { type: 'started', key, agentId: id, label, phase: agentSpec.phase } })
    journal.push({ row: { type: 'result', key, agentId: id, result: ran.report } })
    addLines(session, `${dir}/agent-${id}.jsonl`, lines, ran.thread.now)
    writeMeta(session, `${dir}/agent-${id}`, agentSpec, agent, { workflowPhase: agentSpec.phase }, ran.thread.now)
    const startedAt = now
    now = ran.thread.now
    return {
      type: 'workflow_agent',
      index: index + 1,
      label,
      phaseIndex: phases.indexOf(agentSpec.phase) + 1,
      phaseTitle: agentSpec.phase,
      agentId: id,
      model: agentSpec.model ?? generation.model,
      state: 'done',
      startedAt,
      tokens: ran.tokens,
      toolCalls: ran.toolUses,
      durationMs: now - startedAt,
      promptPreview: agentSpec.prompt.slice(0, 100),
      resultPreview: ran.report.slice(0, 100),
    }
  })
  addLines(session, `${dir}/journal.jsonl`, journal, now)
  addFile(session, scriptFile, script, startTime)
  const run = {
    runId,
    timestamp: iso(now),
    taskId,
    script,
    scriptPath: `${session.configDir}/${scriptFile}`,
    result: spec.result,
    agentCount: progress.length,
    logs: [],
    durationMs: now - startTime,
    summary: spec.description,
    workflowName: spec.name,
    status: 'completed',
    startTime,
    phases: phases.map((title) => ({ title })),
    defaultModel: generation.model,
    workflowProgress: [
      ...phases.map((title, index) => ({ type: 'workflow_phase', index: index + 1, title })),
      ...progress,
    ],
    totalTokens: progress.reduce((sum, { tokens }) => sum + tokens, 0),
    totalToolCalls: progress.reduce((sum, { toolCalls }) => sum + toolCalls, 0),
  }
  addFile(session, `${home}/workflows/${runId}.json`, JSON.stringify(run), now)
  pushResult(thread, toolUseId, line, {
    content: `Workflow launched in background. Task ID: ${taskId}`,
    toolUseResult: {
      status: 'async_launched',
      taskId,
      taskType: 'local_workflow',
      workflowName: spec.name,
      runId,
      summary: spec.description,
      transcriptDir: `${session.configDir}/${dir}`,
      scriptPath: `${session.configDir}/${scriptFile}`,
    },
  })
  const key = session.projectDir.slice(session.projectDir.lastIndexOf('/') + 1)
  session.launched.set(spec.name, {
    id: taskId,
    toolUseId,
    description: spec.name,
    result: spec.result,
    startedAt: startTime,
    endedAt: now,
    tokens: run.totalTokens,
    toolUses: run.totalToolCalls,
    outputFile: `/tmp/claude-1000/${key}/${session.fileId}/tasks/${taskId}.output`,
  })
}

function scriptOf(spec: RecordedWorkflow, phases: readonly string[]): string {
  const titles = phases.map((title) => `{ title: ${JSON.stringify(title)} }`).join(', ')
  const lines = spec.agents.map(({ phase, prompt, description }) => {
    return `phase(${JSON.stringify(phase)})\nawait agent(${JSON.stringify(prompt)}, { label: ${JSON.stringify(description)} })`
  })
  const meta = `{ name: ${JSON.stringify(spec.name)}, description: ${JSON.stringify(spec.description)}, phases: [${titles}] }`
  return `export const meta = ${meta}\n${lines.join('\n')}\n`
}
