import { Writable } from 'node:stream'
import { Box, type Instance, render, Text, useCursor } from 'ink'
import type { Frame } from './frame.ts'
import type { Display, Screen } from './screen.ts'

/** Puts frames on the screen with Ink, over what is there already. */
export function inkDisplay(screen: Screen): Display {
  let output: Output | undefined
  let instance: Instance | undefined
  let isTakenOver = false
  const mount = (frame: Frame) => {
    // What stands there is the same frame, or one of another size.
    screen.write(isTakenOver ? '\u001b[H\u001b[2J' : '\u001b[H')
    isTakenOver = true
    output = outputTo(screen)
    instance = render(<View frame={frame} />, {
      stdout: output as unknown as NodeJS.WriteStream,
      exitOnCtrlC: false,
      patchConsole: false,
      maxFps: 60,
    })
  }
  return {
    draw: (frame) => (instance ? instance.rerender(<View frame={frame} />) : mount(frame)),
    reset: () => {
      if (output) output.isMuted = true
      instance?.unmount()
      instance = undefined
    },
  }
}

function View({ frame }: { readonly frame: Frame }) {
  const { setCursorPosition } = useCursor()
  setCursorPosition(frame.cursor)
  return (
    <Box flexDirection="column">
      {frame.lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is known by where it stands.
        <Text key={at} wrap="truncate">
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  )
}

interface Output extends Writable {
  isMuted: boolean
}

/**
 * The terminal as Ink sees it: of no height, since Ink empties a terminal that it fills, with all that was scrolled out
 * of it; and mute once a display is taken away, since Ink draws a last time then.
 */
function outputTo(screen: Screen): Output {
  const output: Output = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (text, _encoding, done) => {
        if (!output.isMuted) screen.write(String(text))
        done()
      },
    }),
    { isMuted: false, isTTY: true, columns: screen.size().columns, rows: Number.POSITIVE_INFINITY },
  )
  return output
}
