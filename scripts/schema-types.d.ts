// What the types of our schemas mean, for the package that we publish: with it they need no other package.
/** Something that says what values look like. */
interface Schema<Value> {
  readonly value: Value
}

type ValueOf<Of> = Of extends Schema<infer Value> ? Value : never
type OptionalKeys<Shape> = {
  [Key in keyof Shape]: Shape[Key] extends ZodMiniOptional<unknown> ? Key : never
}[keyof Shape]
type Flat<Value> = { [Key in keyof Value]: Value[Key] }

export type { ValueOf as infer }
export interface ZodMiniOptional<Of> extends Schema<ValueOf<Of> | undefined> {
  readonly optional: true
}
export type ZodMiniObject<Shape, _Rest> = Schema<
  Flat<
    { [Key in Exclude<keyof Shape, OptionalKeys<Shape>>]: ValueOf<Shape[Key]> } & {
      [Key in OptionalKeys<Shape>]?: ValueOf<Shape[Key]>
    }
  >
>
export type ZodMiniNullable<Of> = Schema<ValueOf<Of> | null>
export type ZodMiniArray<Of> = Schema<ValueOf<Of>[]>
export type ZodMiniUnion<Of extends readonly unknown[]> = Schema<ValueOf<Of[number]>>
export type ZodMiniDiscriminatedUnion<Of extends readonly unknown[], _Key> = Schema<ValueOf<Of[number]>>
export type ZodMiniRecord<Key, Of> = Schema<Record<ValueOf<Key> & string, ValueOf<Of>>>
export type ZodMiniEnum<Names> = Schema<Names[keyof Names]>
export type ZodMiniLiteral<Value> = Schema<Value>
export type ZodMiniString<Value = string> = Schema<Value>
export type ZodMiniISODateTime = Schema<string>
export type ZodMiniNumber<Value = number> = Schema<Value>
export type ZodMiniInt = Schema<number>
export type ZodMiniBoolean<Value = boolean> = Schema<Value>
export type ZodMiniUnknown = Schema<unknown>
export declare namespace core {
  type $strip = "strip"
  type $strict = "strict"
}
