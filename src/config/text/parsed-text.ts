import type { JsonObject } from "../../contract/json.ts"
import type { Position, PositionTable } from "../positions.ts"

/** What became of parsing a text: its values and where they stand, or the first place where it is wrong. */
export type ParsedText =
  | { readonly kind: "values"; readonly values: JsonObject; readonly positions: PositionTable }
  | { readonly kind: "fault"; readonly position: Position; readonly message: string }
