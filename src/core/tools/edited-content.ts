import { editAgain } from './file-edit.ts'
import type { FileContent, FileTouch } from './file-touch.ts'

/** What an edit left of a long text: made only when it is asked for. */
export class EditedContent implements FileContent {
  readonly isBase64 = false
  readonly base: FileContent
  readonly edit: FileTouch & { readonly kind: 'edit' }
  #text: string | undefined

  constructor(base: FileContent, edit: FileTouch & { readonly kind: 'edit' }) {
    this.base = base
    this.edit = edit
  }

  get text(): string {
    this.#text ??= editAgain(this.base.text, this.edit.replacements, this.edit.patch)?.text ?? ''
    return this.#text
  }

  /** Whoever is compared with it may know more. */
  isSame(): undefined {
    return undefined
  }
}
