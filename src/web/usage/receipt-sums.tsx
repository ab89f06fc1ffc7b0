import type { OpResult } from '../api.ts'
import { Link } from '../routing.tsx'
import { Card } from '../ui/card.tsx'
import { Money } from '../ui/figures.tsx'
import { Said } from '../ui/said.tsx'
import { Table } from '../ui/table.tsx'
import { countText, moneyText, plural } from '../ui/words.ts'

type Receipt = OpResult<'receipt'>

const KINDS: Readonly<Record<string, string>> = {
  in: 'new input',
  out: 'written',
  'cache read': 'read from the cache',
  '5 min write': 'written to the cache, 5 min',
  '1 h write': 'written to the cache, 1 h',
}

/** Tokens × price = $, by model, with what each comes to and the whole. */
export function Multiplication({ receipt }: { receipt: Receipt }) {
  const rows = receipt.models.flatMap((sum, at) => [
    ...sum.parts.map((part) => ({ ...part, model: sum.model, factor: sum.factor, at, key: `${at} ${part.name}` })),
    ...(sum.webSearches > 0 ? [searchesOf(sum, at)] : []),
  ])
  return (
    <Card title="Tokens × price">
      <Table
        label="Tokens times price"
        file={`receipt-${receipt.key}`}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          { name: 'Model', isExtra: true, value: ({ model }) => model, cell: ({ model }) => <Said>{model}</Said> },
          {
            name: 'What',
            value: ({ name }) => KINDS[name] ?? name,
            cell: ({ name, model }) => (
              <>
                {KINDS[name] ?? name}
                <Said className="block text-xs text-muted sm:hidden">{model}</Said>
              </>
            ),
          },
          {
            name: 'Tokens',
            isFigure: true,
            value: ({ tokens }) => tokens,
            cell: ({ tokens }) => countText(tokens),
          },
          {
            name: '× $ per million',
            isFigure: true,
            value: ({ usdPerMillion }) => usdPerMillion,
            cell: ({ usdPerMillion, factor }) =>
              usdPerMillion === null ? '–' : `× ${moneyText(usdPerMillion)}${factor === 1 ? '' : ` × ${factor}`}`,
          },
          {
            name: '= $',
            isFigure: true,
            value: ({ costUsd }) => costUsd,
            cell: ({ costUsd }) => <Money usd={costUsd} isFine />,
          },
        ]}
        footer={
          <tfoot>
            {receipt.models.length > 1
              ? receipt.models.map((sum, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: one model may have two prices
                  <Total key={at} name={`${sum.model}, ${plural(sum.responses, 'response')}`} usd={sum.costUsd} />
                ))
              : null}
            <Total name="Total" usd={receipt.total.costUsd} isLast />
          </tfoot>
        }
      />
    </Card>
  )
}

function searchesOf(sum: Receipt['models'][number], at: number) {
  const { model, webSearches } = sum
  const rest = (sum.costUsd ?? 0) - sum.parts.reduce((all, part) => all + (part.costUsd ?? 0), 0)
  return {
    name: 'web searches',
    tokens: webSearches,
    usdPerMillion: null,
    costUsd: sum.costUsd === null ? null : rest,
    model,
    factor: 1,
    at,
    key: `${at} searches`,
  }
}

function Total(props: { readonly name: string; readonly usd: number | null; readonly isLast?: boolean }) {
  return (
    <tr className={`border-t border-line ${props.isLast ? 'font-semibold' : 'text-muted'}`}>
      <th scope="row" colSpan={3} className={`py-1.5 text-left ${props.isLast ? 'font-semibold' : 'font-normal'}`}>
        <Said>{props.name}</Said>
      </th>
      <td className="hidden sm:table-cell" />
      <td className="py-1.5 text-right whitespace-nowrap">
        <Money usd={props.usd} isFine />
      </td>
    </tr>
  )
}

const MOST_MAKERS = 12

/** A turn by its number and its prompt. One that was abandoned has its branch behind the number, which says nothing to a person. */
function turnName({ turn, asked }: Receipt['sessions'][number]['turns'][number]): string {
  const [number = '', branch] = String(turn ?? '').split('~')
  return `${number} ${asked ?? 'Before the first prompt'}${branch === undefined ? '' : ' (abandoned)'}`.trim()
}

/** Who made the number: of a day its sessions, of a session its turns; each with what it comes to. */
export function Makers({ receipt }: { receipt: Receipt }) {
  const isOfMany = receipt.sessions.length > 1 || receipt.kind === 'day' || receipt.kind === 'period'
  const turns = isOfMany ? [] : (receipt.sessions[0]?.turns ?? [])
  const rows = isOfMany
    ? receipt.sessions.map((one) => ({
        key: one.session,
        name: one.title ?? one.session,
        responses: one.turns.flatMap(({ models }) => models).reduce((sum, { responses }) => sum + responses, 0),
        costUsd: one.costUsd,
        receipt: one.session as string | undefined,
      }))
    : turns.map((turn, i) => ({
        key: `${turn.turn ?? i}`,
        name: turnName(turn),
        responses: turn.models.reduce((sum, { responses }) => sum + responses, 0),
        costUsd: turn.costUsd,
        receipt: turn.turn === null ? undefined : `${receipt.key}:${turn.turn}`,
      }))
  if (rows.length < 2 && !isOfMany) return null
  return (
    <Card title={isOfMany ? 'By session' : 'By turn'}>
      <Table
        label={isOfMany ? 'By session' : 'By turn'}
        file={`receipt-${receipt.key}-${isOfMany ? 'sessions' : 'turns'}`}
        rows={rows}
        first={MOST_MAKERS}
        keyOf={({ key }) => key}
        columns={[
          {
            name: isOfMany ? 'Session' : 'Turn',
            value: ({ name }) => name,
            cell: ({ name, receipt: session }) =>
              session === undefined || !isOfMany ? (
                <Said className="line-clamp-2">{name}</Said>
              ) : (
                <Link to="/s/$session" params={{ session }} className="line-clamp-2 hover:underline">
                  <Said>{name}</Said>
                </Link>
              ),
          },
          {
            name: 'Responses',
            isFigure: true,
            value: ({ responses }) => responses,
            cell: ({ responses }) => countText(responses),
          },
          {
            name: 'Cost',
            isFigure: true,
            value: ({ costUsd }) => costUsd,
            cell: (row) => <Money usd={row.costUsd} receipt={row.receipt} isFine />,
          },
        ]}
      />
    </Card>
  )
}
