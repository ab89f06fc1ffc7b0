import { LONGEST_LINE } from '../long-lines.tsx'
import { readable } from '../visible.ts'

/** An address as a link where it leads to the web, else as text. Nothing is loaded until one follows it. */
export function WebLink({ url, title }: { url: string; title?: string | undefined }) {
  const text = readable(title ?? url, LONGEST_LINE)
  if (!isWebAddress(url)) return <span className="break-all">{text}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="break-all text-accent underline">
      {text}
    </a>
  )
}

/** Whether an address is one of http or https, as a browser reads it. */
function isWebAddress(url: string): boolean {
  try {
    const { protocol } = new URL(url)
    return protocol === 'https:' || protocol === 'http:'
  } catch {
    return false
  }
}
