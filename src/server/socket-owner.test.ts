import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { isOtherUser } from './socket-owner.ts'

const isLinux = process.platform === 'linux'

for (const host of ['127.0.0.1', '::1']) {
  test.runIf(isLinux)(`the owner of a connection over ${host} is known`, async (context) => {
    const server = createServer()
    server.listen(0, host)
    const isHere = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isHere) return context.skip()
    const client = connect((server.address() as AddressInfo).port, host)
    const [socket] = (await once(server, 'connection')) as [Socket]
    const own = process.getuid?.() ?? 0
    expect(isOtherUser(socket, own)).toBe(false)
    // Seen by somebody else it is another user's, unless it is root's.
    expect(isOtherUser(socket, own + 1)).toBe(own !== 0)
    expect(isOtherUser({ remoteAddress: host, remotePort: 1 }, own)).toBe(false)
    client.destroy()
    socket.destroy()
    server.close()
  })
}
