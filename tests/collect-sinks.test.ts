import { folderPlace } from './collector/folder-place.ts'
import { httpPlace } from './collector/http-place.ts'
import { holdsTheContract } from './collector/sink-contract.ts'

holdsTheContract('folder of lines', () => folderPlace())
holdsTheContract('folder of columns', () => folderPlace({ format: 'parquet' }))
holdsTheContract('receiver with a token', () => httpPlace())
holdsTheContract('receiver with signatures', () => httpPlace({ hmacKey: 'a key that only signs' }))
