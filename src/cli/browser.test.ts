import { expect, test } from 'vitest'
import { browserCommand } from './browser.ts'

const url = 'http://127.0.0.1:6174/?code=a&b=$(c)'

test('each system has its own way to open an address, and none goes through a shell', () => {
  expect(browserCommand(url, 'darwin', {})).toEqual(['open', url])
  expect(browserCommand(url, 'win32', {})).toEqual(['rundll32', 'url.dll,FileProtocolHandler', url])
  expect(browserCommand(url, 'linux', { DISPLAY: ':0' })).toEqual(['xdg-open', url])
  expect(browserCommand(url, 'linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['xdg-open', url])
})

test('where there is no screen, nothing is opened', () => {
  expect(browserCommand(url, 'linux', {})).toBeUndefined()
})
