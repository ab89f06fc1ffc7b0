import { type ComponentType, useLayoutEffect, useState } from 'react'
import { say } from './ui/toast.tsx'

/** A component that is fetched when it is first shown, so that pages which never show it do not wait for it. */
export function whenUsed<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let known: ComponentType<Props> | undefined
  return function WhenUsed(props: Props) {
    const [Shown, setShown] = useState(() => known)
    useLayoutEffect(() => {
      if (Shown) return
      load().then(
        (loaded) => {
          known = loaded
          setShown(() => loaded)
        },
        () => say({ text: 'This part of the page could not be loaded.', isBad: true }),
      )
    }, [Shown])
    return Shown ? <Shown {...props} /> : null
  }
}
