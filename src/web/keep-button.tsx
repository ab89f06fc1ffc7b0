import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { numberAt, stringAt } from '../core/json.ts'
import { doOp, type OpError, type OpInput, type OpResult, queryClient, useAbout } from './api.ts'
import { useEvents } from './events.ts'
import { Button } from './ui/button.tsx'
import { bytesText, plural, shareText } from './ui/words.ts'

/**
 * Keeps sessions in the archive, so that they outlive Claude Code's own clearing up. Says how far it has come, and what
 * became of it.
 */
export function KeepButton(props: {
  /** Which: one by its id, all that expire, or all there are. */
  readonly what: { readonly session: string } | 'expiring' | 'all'
  readonly children: string
  readonly label?: string
  readonly look?: 'plain' | 'main' | 'quiet'
}) {
  const about = useAbout()
  const [share, setShare] = useState('')
  const { mutate, isPending, data, error } = useMutation<OpResult<'keep'>, OpError>({
    mutationFn: () => doOp('keep', inputOf(props.what)),
    onSettled: () => {
      setShare('')
      for (const name of ['sessions', 'status', 'outline', 'archive'])
        queryClient.invalidateQueries({ queryKey: [name] })
    },
  })
  useEvents(isPending ? {} : null, {
    progress: (told) => {
      if (stringAt(told, 'op') !== 'keep') return
      setShare(shareText(numberAt(told, 'doneBytes') ?? 0, numberAt(told, 'totalBytes') ?? 0))
    },
  })
  const told = error ? [error.message, error.hint].filter(Boolean).join(' ') : data && !isPending ? toldOf(data) : ''
  // What was made up is nobody's to keep.
  if (!about || about.isDemo) return null
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button
        look={props.look ?? 'plain'}
        disabled={isPending}
        onClick={() => mutate()}
        {...(props.label !== undefined && { 'aria-label': props.label, title: props.label })}
      >
        {isPending ? `Keeping … ${share}` : props.children}
      </Button>
      <span role="status" className={told === '' ? 'sr-only' : `text-sm ${error ? 'text-danger' : 'text-muted'}`}>
        {told}
      </span>
    </span>
  )
}

function inputOf(what: 'expiring' | 'all' | { readonly session: string }): OpInput<'keep'> {
  if (what === 'all') return {}
  return what === 'expiring' ? { expiring: true } : { session: [what.session] }
}

function toldOf({ sessions, bytesRaw, problems }: OpResult<'keep'>): string {
  const [first] = problems
  if (first) return `${plural(problems.length, 'file')} could not be kept. ${first.message}`
  return sessions === 0 ? 'Kept already.' : `Kept ${plural(sessions, 'session')}, ${bytesText(bytesRaw)}.`
}
