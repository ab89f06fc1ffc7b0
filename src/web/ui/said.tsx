import { visible } from '../session/visible.ts'

/**
 * Text that somebody else wrote: in the direction of its own script, apart from what stands around it, and with the signs
 * that would turn it round written out.
 */
export function Said(props: { readonly children: string; readonly className?: string; readonly title?: string }) {
  return (
    <bdi dir="auto" className={props.className} title={props.title === undefined ? undefined : visible(props.title)}>
      {visible(props.children)}
    </bdi>
  )
}
