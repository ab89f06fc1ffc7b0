import { objectsAt, textAt } from '../../../core/json.ts'
import type { ToolCall } from '../tool-call.ts'

/** What the model asked, what one could choose, and what was chosen. */
export function QuestionView({ call }: { call: ToolCall }) {
  const result = call.result ?? ''
  return (
    <div className="space-y-4 px-3 py-2">
      {objectsAt(call.input, 'questions').map((asked, at) => {
        const question = textAt(asked, 'question') ?? ''
        const answer = answerTo(question, result)
        const options = objectsAt(asked, 'options').map((option) => ({
          label: textAt(option, 'label') ?? '',
          description: textAt(option, 'description'),
        }))
        const chosen = options.filter(({ label }) => isChosen(label, answer))
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: questions of one call never move
          <section key={at}>
            <p className="font-medium">{question}</p>
            <ul className="mt-1 space-y-1">
              {options.map((option, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: nor do their options
                <li key={place} className="flex gap-2">
                  <span
                    role="img"
                    aria-label={chosen.includes(option) ? 'chosen' : 'not chosen'}
                    className="text-accent"
                  >
                    {chosen.includes(option) ? '●' : '○'}
                  </span>
                  <span className={chosen.includes(option) ? 'font-medium' : ''}>
                    {option.label}
                    {option.description && (
                      <span className="block text-sm font-normal text-muted">{option.description}</span>
                    )}
                  </span>
                </li>
              ))}
            </ul>
            {answer !== undefined && chosen.length === 0 && (
              <p className="mt-1">
                <span className="text-muted">Answered: </span>
                {answer}
              </p>
            )}
          </section>
        )
      })}
      {call.isError && <p className="whitespace-pre-wrap text-danger">{result}</p>}
    </div>
  )
}

/** The client tells the answers as `"question"="answer"`. */
function answerTo(question: string, result: string): string | undefined {
  const at = question === '' ? -1 : result.indexOf(`"${question}"="`)
  if (at === -1) return undefined
  const from = at + question.length + 4
  const end = /"(?:,|\.|\s|$)/.exec(result.slice(from))
  return end ? result.slice(from, from + end.index) : result.slice(from)
}

function isChosen(label: string, answer: string | undefined): boolean {
  return answer !== undefined && (answer === label || answer.split(', ').includes(label))
}
