import { useMemo } from 'react'
import { type OpResult, useOp } from '../api.ts'
import { getRouteApi } from '../routing.tsx'
import { SessionLink, useTitles } from '../session-link.tsx'
import { Said } from '../ui/said.tsx'
import { Time } from '../ui/time.tsx'
import { plural } from '../ui/words.ts'
import { useScope } from '../use-scope.ts'
import { type Fold, ListPage, ListRow } from './list-page.tsx'

const route = getRouteApi('/todos')

type TodoList = OpResult<'todos'>['items'][number]

/** Todos: what was left to do in each session, and what was done. */
export function TodosPage() {
  const search = route.useSearch()
  const scope = useScope(search.project)
  const asked = useOp('todos', { ...scope }, { enabled: scope !== undefined, keepPrevious: true })
  const titles = useTitles()
  const items = useMemo(() => asked.data && eachOnce(asked.data.items), [asked.data])
  const lists = search.show === 'all' ? items : items?.filter((list) => openIn(list) > 0)
  return (
    <ListPage
      title="Todos"
      about="The todo lists and tasks of your sessions, the newest first. What is still open comes first in each."
      noun={['list', 'lists']}
      items={lists}
      asked={asked}
      hasProjects
      textOf={textOf}
      keyOf={({ file, offset, from }) => `${file} ${offset ?? ''} ${from}`}
      row={(list, fold) => <Row list={list} fold={fold} titles={titles} />}
      none={
        search.show === 'all'
          ? ['There is no todo list.', 'They appear when Claude writes down what it will do.']
          : ['Nothing is left to do.', 'Lists that are done are shown with “Also done”.']
      }
      other={{ show: 'all', text: 'Also done' }}
    />
  )
}

/** The client writes a list into the log and beside it: what is the same is told once, with the time it was first written. */
function eachOnce(lists: readonly TodoList[]): readonly TodoList[] {
  const nameOf = ({ session, agent, todos }: TodoList) =>
    JSON.stringify([session, agent, todos.map(({ text, status }) => [text, status])])
  const earliest = new Map(lists.map((list, at) => [nameOf(list), at]))
  return lists.filter((list, at) => earliest.get(nameOf(list)) === at)
}

const textOf = (list: TodoList) => list.todos.map(({ text }) => text).join('\n')

const isDone = ({ status }: TodoList['todos'][number]) => status === 'completed'

function openIn({ todos }: TodoList): number {
  return todos.filter((todo) => !isDone(todo)).length
}

function Row(props: { readonly list: TodoList; readonly fold: Fold; readonly titles: ReadonlyMap<string, string> }) {
  const { list, fold, titles } = props
  const sorted = [...list.todos.filter((todo) => !isDone(todo)), ...list.todos.filter(isDone)]
  const open = openIn(list)
  return (
    <ListRow
      fold={fold}
      title={<Said>{sorted[0]?.text ?? 'Empty'}</Said>}
      aside={open === 0 ? <span className="text-live">done</span> : `${open} open`}
      facts={
        <>
          <Time iso={list.timestamp} />
          <span>{plural(list.todos.length, 'item')}</span>
          {list.session !== null ? <SessionLink session={list.session} agent={list.agent} titles={titles} /> : null}
        </>
      }
    >
      <ul className="space-y-1 text-sm">
        {sorted.map((todo, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that is read has its order
          <li key={i} className="flex gap-2">
            <span
              role="img"
              aria-label={isDone(todo) ? 'done' : todo.status === 'in_progress' ? 'in progress' : 'open'}
              className={isDone(todo) ? 'text-live' : 'text-muted'}
            >
              {isDone(todo) ? '☑' : todo.status === 'in_progress' ? '◐' : '☐'}
            </span>
            <Said className={isDone(todo) ? 'text-muted line-through' : ''}>{todo.text}</Said>
          </li>
        ))}
      </ul>
    </ListRow>
  )
}
