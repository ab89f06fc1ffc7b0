import type { SentDocument } from './state.ts'

/** Which documents were delivered, as they are. What is on its way counts when it has arrived. */
export class SentDocuments {
  #sent = new Map<string, SentDocument>()
  readonly #underway = new Map<string, SentDocument>()

  begin(sent: ReadonlyMap<string, SentDocument>): void {
    this.#sent = new Map(sent)
  }

  /** Whether a file that looks like this was delivered. */
  hasSign(name: string, sign: string): boolean {
    return this.#sent.get(name)?.sign === sign
  }

  /** Notes what a file has become. Says whether it has to be sent: a file that was only touched need not be. */
  isDue(name: string, document: SentDocument): boolean {
    const isSame = this.#sent.get(name)?.hash === document.hash
    if (isSame) this.#sent.set(name, document)
    else this.#underway.set(name, document)
    return !isSame
  }

  arrived(): void {
    for (const [name, document] of this.#underway) this.#sent.set(name, document)
    this.#underway.clear()
  }

  lost(): void {
    this.#underway.clear()
  }

  all(): ReadonlyMap<string, SentDocument> {
    return this.#sent
  }
}
