/** Decides when a patch of the workspace is made: after a turn, and at most once within one tick. Pure. */

/**
 * `fresh`: a patch was made within this tick, and nothing has changed since. `idle`: nothing has changed since the
 * last patch. `waiting`: a turn has ended, and the tick of the last patch is not over. `due`: a patch has to be made.
 * `closed`: the pod ends, and a patch that is being made does not count any more.
 */
export type PatchPace = "fresh" | "idle" | "waiting" | "due" | "closed";

/** Returns the pace after an event. */
export const patchPaces: Readonly<Record<PatchEvent, Readonly<Record<PatchPace, PatchPace>>>> = {
	turnEnded: { fresh: "waiting", idle: "due", waiting: "waiting", due: "due", closed: "closed" },
	ticked: { fresh: "idle", idle: "idle", waiting: "due", due: "due", closed: "closed" },
	begun: { fresh: "fresh", idle: "fresh", waiting: "fresh", due: "fresh", closed: "closed" },
	ended: { fresh: "closed", idle: "closed", waiting: "closed", due: "closed", closed: "closed" },
};

/** `begun`: a patch is being made. `ended`: no patch is needed any more. */
export type PatchEvent = "turnEnded" | "ticked" | "begun" | "ended";
