import { createServerShare, type ServerShare } from "../mcp/life/share.ts"
import { createPace, type Pace } from "../model/pace.ts"

/** What the tasks of a batch have in common: the speed at which the model is asked, and servers that are shared. */
export interface SharedRooms extends AsyncDisposable {
  readonly pace: Pace
  readonly servers: ServerShare
}

/** The rooms that all tasks of one process share; closed when the last has ended. */
export function openSharedRooms(): SharedRooms {
  const servers = createServerShare()
  return { pace: createPace(), servers, [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose]() }
}
