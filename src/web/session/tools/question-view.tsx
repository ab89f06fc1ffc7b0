import { resultText } from '../../../core/tools/tool-call.ts'
import type { Question } from '../../../core/tools/tool-meaning.ts'
import type { ToolCall } from '../types.ts'
import { readable } from '../visible.ts'

/** What the model asked, what one could choose, and what was chosen. */
export function QuestionView({ call, questions }: { call: ToolCall; questions: readonly Question[] }) {
  return (
    <div className="space-y-4 px-3 py-2">
      {questions.map(({ question, options, answer }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: questions of one call never move
        <section key={at}>
          <p className="font-medium">{readable(question)}</p>
          <ul className="mt-1 space-y-1">
            {options.map(({ label, description, isChosen }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nor do their options
              <li key={place} className="flex gap-2">
                <span role="img" aria-label={isChosen ? 'chosen' : 'not chosen'} className="text-accent">
                  {isChosen ? '●' : '○'}
                </span>
                <span className={isChosen ? 'font-medium' : ''}>
                  {readable(label)}
                  {description !== null && (
                    <span className="block text-sm font-normal text-muted">{readable(description)}</span>
                  )}
                </span>
              </li>
            ))}
          </ul>
          {answer !== null && !options.some(({ isChosen }) => isChosen) && (
            <p className="mt-1">
              <span className="text-muted">Answered: </span>
              {readable(answer)}
            </p>
          )}
        </section>
      ))}
      {call.isError && <p className="whitespace-pre-wrap text-danger">{readable(resultText(call))}</p>}
    </div>
  )
}
