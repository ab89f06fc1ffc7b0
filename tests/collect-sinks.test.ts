import { folderSink } from '../src/collector/sinks/folder.ts'
import { folderPlace } from './collector/folder-place.ts'
import { httpPlace } from './collector/http-place.ts'
import { holdsTheContract } from './collector/sink-contract.ts'

holdsTheContract('folder of lines', () => folderPlace())
holdsTheContract('folder of columns', () => folderPlace({ format: 'parquet' }))
holdsTheContract('folder whose parts are merged at once', async () => {
  const place = await folderPlace()
  let number = 0
  // Each has a name of its own, as receivers have.
  const open = () =>
    folderSink(place.folder, { format: 'parquet', mergesAs: `r${number++}`, limits: { afterBytes: 1 } })
  return { ...place, open }
})
holdsTheContract('receiver with a token', () => httpPlace())
holdsTheContract('receiver with signatures', () => httpPlace({ hmacKey: 'a key that only signs' }))
