/** What a column holds. Times are ISO texts, whole numbers plain ones; both get the types of Parquet here. */
export type ColumnType = 'STRING' | 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP'

/** The columns of a table, by their names in order. */
export type Columns = Readonly<Record<string, ColumnType>>

/** A row of a table with such columns; what is not known is null. */
export type TableRow<C extends Columns> = {
  readonly [Name in keyof C]:
    | (C[Name] extends 'STRING' | 'TIMESTAMP' ? string : C[Name] extends 'BOOLEAN' ? boolean : number)
    | null
}
