import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { usePageKeys } from '../ui/page-keys.ts'
import { useKeys } from '../ui/use-keys.ts'
import { WithCode } from '../ui/with-code.tsx'
import { plural } from '../ui/words.ts'
import { BranchPicker } from './branch-picker.tsx'
import { Conversation, type ConversationHandle } from './conversation.tsx'
import { FindBar } from './find-bar.tsx'
import { abandonedFrom, forksOf } from './forks.ts'
import { HitsBar } from './hits-bar.tsx'
import { MapDrawer } from './map-drawer.tsx'
import { createOpenState, OpenStateProvider } from './open-state.tsx'
import { createPlace } from './place.ts'
import { RawDialog } from './raw-dialog.tsx'
import { READER_KEYS } from './reader-keys.ts'
import { type RawPlace, SessionProvider } from './session-context.tsx'
import { HeadButton, SessionHeader } from './session-header.tsx'
import { SessionMap } from './session-map.tsx'
import type { Outline } from './types.ts'
import { useFind } from './use-find.ts'
import type { Opening } from './use-growing.ts'
import { useHighlights } from './use-highlights.ts'
import { useHits } from './use-hits.ts'
import { useLive } from './use-live.ts'
import type { Reading } from './use-rows.ts'
import type { Target } from './use-target.ts'

interface Search {
  readonly branch?: string | undefined
  readonly at?: string | undefined
  readonly q?: string | undefined
  readonly hits?: string | undefined
  readonly top?: string | undefined
  readonly open?: string | undefined
}

interface Props {
  readonly reading: Reading
  readonly opening: Opening
  /** The folder that paths are seen from, as long as the outline does not tell. */
  readonly folder: string | null
  /** It takes longer than the first rows do, and is not waited for. */
  readonly outline: Outline | undefined
  /** What is known of the session for the head of the page. */
  readonly head: Outline | undefined
  readonly target: Target
  /** What is looked for, as the address says. */
  readonly words: string
  /** The search that led here; empty where none did. */
  readonly query: string
  /** The row that a link led to. */
  readonly at: string | undefined
  /** Whether one was here before, and what was open then. */
  readonly place: { readonly isLeft: boolean; readonly open: string }
  readonly onSearch: (change: Search) => void
}

/** What is known before the outline has come. */
const NOTHING: Pick<Outline, 'turns' | 'marks' | 'agents'> = { turns: [], marks: [], agents: [] }

/** Reads a conversation: its rows, the map beside them, finding in it, following it as it grows. */
export function SessionReader(props: Props) {
  const { reading, opening, folder, outline, head, target, words, query, at, onSearch } = props
  const { session, branch } = reading
  const { turns, marks, agents } = outline ?? NOTHING
  const path = outline?.session.project.path ?? folder
  const handle = useRef<ConversationHandle>(null)
  const remember = useRemembered(onSearch)
  const [openState] = useState(() => createOpenState(props.place.open, (open) => remember({ open })))
  const walk = useHits(query, head?.session.id, at)
  const [raw, setRaw] = useState<RawPlace | null>(null)
  const [isThinkingOpen, setThinkingOpen] = useState(false)
  const [isMapOpen, setMapOpen] = useState(false)
  usePageKeys(READER_KEYS)
  const [isFinding, setFinding] = useState(words !== '')
  const isLive = head?.session.status === 'live' && head.agent === null
  const [isFollowing, setFollowing] = useState(false)
  const [top] = useState(createPlace)
  const [isAtEnd, setAtEnd] = useState(false)
  const { total, watch, isGone } = useLive(reading, opening, outline)
  const [seen, setSeen] = useState(total)
  useEffect(() => {
    if (isAtEnd) setSeen(total)
  }, [isAtEnd, total])

  const place = useCallback(() => handle.current?.place() ?? 0, [])
  const finding = useFind(reading, words, place)
  const scroller = useCallback(() => handle.current?.scroller() ?? null, [])
  const soughtRow = isFinding ? finding.row : walk ? target.row : undefined
  const soughtWords = useMemo(
    () => (isFinding ? [finding.words.trim()] : (walk?.words ?? [])),
    [isFinding, finding.words, walk?.words],
  )
  useHighlights(scroller, soughtWords, soughtRow)
  useEffect(() => {
    if (isFinding && finding.row !== undefined) handle.current?.goTo(finding.row, { align: 'center' })
  }, [isFinding, finding.row])
  useEffect(() => {
    const timer = setTimeout(() => {
      const wanted = isFinding ? finding.words.trim() : ''
      if (wanted !== words) onSearch({ q: wanted })
    }, 400)
    return () => clearTimeout(timer)
  }, [isFinding, finding.words, words, onSearch])

  // A link inside the page may lead to another row of what is shown.
  const shown = useRef(target.uuid)
  useEffect(() => {
    if (target.uuid === shown.current || target.row === undefined) return
    shown.current = target.uuid
    handle.current?.goTo(target.row, { align: 'center', focus: true })
  }, [target])

  const step = (rows: readonly number[], forward: boolean) => {
    const from = place()
    const row = forward ? rows.find((one) => one > from) : rows.findLast((one) => one < from)
    if (row !== undefined) handle.current?.goTo(row, { focus: true })
  }
  const prompts = useMemo(() => turns.flatMap(({ row, prompt }) => (prompt ? [row] : [])), [turns])
  const errors = useMemo(() => marks.flatMap(({ row, kind }) => (kind === 'error' ? [row] : [])), [marks])
  useKeys({
    // While one walks through hits, all of these lead from one to the next.
    j: () => (walk ? walk.next() : step(prompts, true)),
    k: () => (walk ? walk.previous() : step(prompts, false)),
    n: () => (isFinding ? finding.next() : walk ? walk.next() : step(errors, true)),
    N: () => (isFinding ? finding.previous() : walk ? walk.previous() : step(errors, false)),
    p: () => (isFinding ? finding.previous() : walk ? walk.previous() : step(errors, false)),
    o: () => foldOf(scroller(), place())?.click(),
    t: () => setThinkingOpen(!isThinkingOpen),
    g: () => handle.current?.goTo(0, { focus: true }),
    G: () => handle.current?.goToEnd(),
    f: () => setFinding(true),
    m: () => setMapOpen(!isMapOpen),
    Escape: () => (isFinding ? setFinding(false) : isMapOpen ? setMapOpen(false) : walk ? endHits() : false),
  })

  const endHits = () => onSearch({ hits: undefined })

  const context = useMemo(
    () => ({
      session,
      branch,
      folder: path,
      agents: new Map(agents.map((agent) => [agent.id, agent])),
      depth: 0,
      isThinkingOpen,
      watch,
      showRaw: setRaw,
      turnRange: (turn: number) => turns.find(({ number }) => number === turn),
    }),
    [session, branch, path, agents, isThinkingOpen, watch, turns],
  )
  const forks = useMemo(() => (outline ? forksOf(outline) : new Map()), [outline])
  const onBranch = (leaf: string | undefined) => onSearch({ branch: leaf, at: undefined, top: undefined })
  const map = (
    <SessionMap
      marks={marks}
      turns={turns}
      isPending={!outline}
      place={top}
      onGo={({ row, uuid }) => {
        setMapOpen(false)
        shown.current = uuid
        handle.current?.goTo(row, { focus: true })
        onSearch({ at: uuid, top: undefined })
      }}
    />
  )
  const fresh = total - seen
  return (
    <SessionProvider value={context}>
      <SessionHeader name={session} branch={branch} outline={head}>
        {outline && outline.branches.length > 1 && <BranchPicker outline={outline} onBranch={onBranch} />}
        <HeadButton label="Find in this session (f)" isOn={isFinding} onClick={() => setFinding(!isFinding)}>
          Find
        </HeadButton>
        <HeadButton
          label="Keep the newest in view"
          isOn={isFollowing}
          onClick={() => {
            if (!isFollowing) handle.current?.goToEnd()
            setFollowing(!isFollowing)
          }}
        >
          Follow
        </HeadButton>
        <HeadButton label="Map of the session (m)" className="lg:hidden" onClick={() => setMapOpen(true)}>
          Map
        </HeadButton>
      </SessionHeader>
      {isFinding && <FindBar finding={finding} onClose={() => setFinding(false)} />}
      {walk && !isFinding && <HitsBar walk={walk} query={query} onClose={endHits} />}
      {target.problem !== undefined && (
        <p role="status" className="border-b border-line bg-warn-soft px-4 py-1.5 text-sm text-warn sm:px-6">
          The row that the address names is not here. <WithCode>{target.problem}</WithCode>
        </p>
      )}
      {isGone && (
        <p role="alert" className="border-b border-line bg-warn-soft px-4 py-1.5 text-sm text-warn sm:px-6">
          The log of this session is gone: Claude Code deleted it, or it was moved. What was read before is still shown;
          the rest only if it was kept.
        </p>
      )}
      <div className="flex min-h-0 flex-1">
        <aside className="hidden w-72 shrink-0 border-r border-line lg:block">{map}</aside>
        <div className="relative min-w-0 flex-1">
          <OpenStateProvider state={openState}>
            <Conversation
              ref={handle}
              reading={reading}
              total={total}
              turns={turns}
              forks={forks}
              abandonedFrom={outline && abandonedFrom(outline)}
              start={target.row ?? 0}
              startAt={props.place.isLeft ? 'top' : walk ? 'focus' : undefined}
              marked={props.place.isLeft ? at : target.uuid}
              sought={soughtRow === undefined ? undefined : { words: soughtWords, row: soughtRow }}
              isFollowing={isFollowing}
              onPlace={(now) => {
                top.set(now.top)
                remember({ top: now.top === 0 ? undefined : handle.current?.uuidOf(now.top) })
                setAtEnd(now.isAtEnd)
                if (isFollowing && now.isBackward && !now.isAtEnd) setFollowing(false)
              }}
              onBranch={onBranch}
            />
          </OpenStateProvider>
          {(fresh > 0 || (isLive && !isAtEnd)) && !isFollowing && (
            <div className="pointer-events-none absolute inset-x-0 bottom-4 flex justify-center">
              <Button
                look="main"
                className="pointer-events-auto shadow-lg"
                onClick={() => {
                  handle.current?.goToEnd()
                  setFollowing(isLive)
                }}
              >
                ↓ Jump to latest{fresh > 0 && ` (${plural(fresh, 'new row')})`}
              </Button>
            </div>
          )}
        </div>
      </div>
      {/* Below, for it comes after the rows: above, it would push them down. */}
      {outline && <AbandonedNote outline={outline} onBranch={onBranch} />}
      {isMapOpen && <MapDrawer onClose={() => setMapOpen(false)}>{map}</MapDrawer>}
      {raw !== null && <RawDialog place={raw} onClose={() => setRaw(null)} />}
    </SessionProvider>
  )
}

/** How long one stays at a place before the address carries it. */
const REST_MS = 600

/** Puts what a reload shall find again into the address, when a reader comes to rest. */
function useRemembered(onSearch: (change: Search) => void): (change: Search) => void {
  const current = useRef(onSearch)
  current.current = onSearch
  const state = useRef<{ timer: number | undefined; change: Search; isFirst: boolean }>({
    timer: undefined,
    change: {},
    isFirst: true,
  })
  useEffect(() => () => clearTimeout(state.current.timer), [])
  return useCallback((change: Search) => {
    clearTimeout(state.current.timer)
    // Where a link led is told by the link, until one goes on from there.
    const isStill = state.current.isFirst && 'top' in change
    state.current.isFirst = false
    if (isStill) return
    state.current.change = { ...state.current.change, ...change }
    state.current.timer = window.setTimeout(() => {
      current.current(state.current.change)
      state.current.change = {}
    }, REST_MS)
  }, [])
}

function AbandonedNote({ outline, onBranch }: { outline: Outline; onBranch: (leaf: string | undefined) => void }) {
  const own = outline.branches.find(({ leaf }) => leaf === outline.branch)
  if (!own || own.active) return null
  return (
    <p role="status" className="border-t border-line bg-warn-soft px-4 py-1.5 text-sm text-warn sm:px-6">
      This branch was abandoned.{' '}
      <button type="button" className="underline" onClick={() => onBranch(undefined)}>
        Read the active one
      </button>
    </p>
  )
}

/** The fold that a key opens: the one that has the focus, else the first of the row one reads. */
function foldOf(scroller: HTMLElement | null, row: number): HTMLElement | null {
  const active = document.activeElement
  if (active instanceof HTMLElement && active.matches('[data-fold]')) return active
  const own = active?.closest('article') ?? scroller?.querySelector(`[data-index="${row}"]`)
  return own?.querySelector<HTMLElement>('[data-fold]') ?? null
}
