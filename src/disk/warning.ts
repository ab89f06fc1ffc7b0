/** Something in a root that could not be read as it should be, in a sentence. The rest goes on without it. */
export interface Warning {
  readonly file: string
  readonly message: string
}
