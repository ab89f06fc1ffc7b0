import { type ReceiverLimits, startReceiver } from '../../src/collector/receiver/start.ts'
import type { Sink } from '../../src/collector/sink.ts'
import { folderSink } from '../../src/collector/sinks/folder.ts'
import { httpSink } from '../../src/collector/sinks/http.ts'
import { folderPlace } from './folder-place.ts'
import { machine } from './made-batches.ts'
import type { SinkUnderTest } from './sink-contract.ts'

const OTHERS = [2, 3, 4].map((number) => ({ token: `of ${number}`, machine: machine(number).id, person: 'ana' }))

/** A receiver that writes to a folder, reached over HTTP: the first machine by the credentials, others by tokens of their own. */
export async function httpPlace(
  credentials: { readonly token?: string; readonly hmacKey?: string } = { token: 'secret' },
  limits: Partial<ReceiverLimits> = {},
): Promise<SinkUnderTest & { readonly port: number; readonly folder: string }> {
  const place = await folderPlace()
  const own = Object.entries(credentials).map(([kind, secret]) => ({ [kind]: secret, person: 'ana' }))
  const receiver = await startReceiver(
    { sink: folderSink(place.folder), credentials: {}, tokens: [...own, ...OTHERS], limits },
    { host: '127.0.0.1', port: 0 },
  )
  const address = `http://127.0.0.1:${receiver.port}`
  const sinkOf = (id: string) => httpSink(address, OTHERS.find((one) => one.machine === id) ?? credentials)
  return {
    ...place,
    port: receiver.port,
    buriesOwn: true,
    open: (): Sink => ({
      open: (who) => sinkOf(who.id).open(who),
      marks: (id) => sinkOf(id).marks(id),
      deliver: (batch) => sinkOf(batch.machine.id).deliver(batch),
      close: async () => {},
    }),
    async remove() {
      await receiver.close()
      await place.remove()
    },
  }
}
