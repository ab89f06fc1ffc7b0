import { type ReceiverLimits, startReceiver } from '../../src/collector/receive.ts'
import { folderSink } from '../../src/collector/sinks/folder.ts'
import { httpSink } from '../../src/collector/sinks/http.ts'
import { folderPlace } from './folder-place.ts'
import type { SinkUnderTest } from './sink-contract.ts'

/** A receiver that writes to a folder, reached over HTTP. */
export async function httpPlace(
  credentials: { readonly token?: string; readonly hmacKey?: string } = { token: 'secret' },
  limits: Partial<ReceiverLimits> = {},
): Promise<SinkUnderTest & { readonly port: number; readonly folder: string }> {
  const place = await folderPlace()
  const receiver = await startReceiver(
    { sink: folderSink(place.folder), credentials, limits },
    { host: '127.0.0.1', port: 0 },
  )
  return {
    ...place,
    port: receiver.port,
    open: () => httpSink(`http://127.0.0.1:${receiver.port}`, credentials),
    async remove() {
      await receiver.close()
      await place.remove()
    },
  }
}
