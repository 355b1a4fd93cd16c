/** When the patch of the workspace is made: after a turn, and not twice within one tick. Pure. */

/**
 * `fresh`: made within this tick, and nothing has changed since. `idle`: nothing has changed since the last patch.
 * `waiting`: a turn has ended, and the tick of the last patch is not over. `due`: a patch is to be made. `closed`: the pod
 * ends, and a patch that is made no longer counts.
 */
export type PatchPace = "fresh" | "idle" | "waiting" | "due" | "closed";

/** The pace after something has happened. */
export const patchPaces: Readonly<Record<PatchEvent, Readonly<Record<PatchPace, PatchPace>>>> = {
	turnEnded: { fresh: "waiting", idle: "due", waiting: "waiting", due: "due", closed: "closed" },
	ticked: { fresh: "idle", idle: "idle", waiting: "due", due: "due", closed: "closed" },
	begun: { fresh: "fresh", idle: "fresh", waiting: "fresh", due: "fresh", closed: "closed" },
	ended: { fresh: "closed", idle: "closed", waiting: "closed", due: "closed", closed: "closed" },
};

/** `begun`: the making of a patch. `ended`: nobody waits for a patch any more. */
export type PatchEvent = "turnEnded" | "ticked" | "begun" | "ended";
