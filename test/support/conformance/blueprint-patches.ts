/** Where profiles and presets mean to differ from the contract. */
import type { Patch } from "./contract-editor.ts";

export const blueprintPatches: readonly Patch[] = [
	{
		operation: "listProfiles, listPresets",
		contract: "unbounded, of everybody",
		ours: "the caller's; `limit` (default 500), `cursor`, headers `Link` and `ETag`",
		apply: (edit) => edit.addPages("listProfiles", "listPresets"),
	},
	{
		operation: "createProfile, updateProfile, deleteProfile",
		contract: "in memory; a running session keeps a profile of its name from being deleted",
		ours: "stored; a rename to a name that is taken is 409; sessions keep the settings of a deleted profile",
		apply: (edit) => edit.addError("updateProfile", "409", "The name is taken"),
	},
	{
		operation: "updatePreset",
		contract: "null is written to every member",
		ours: "null clears a member to what a new preset has; `name: null` is 422",
	},
	{
		operation: "updateProfile, updatePreset",
		contract: "422 without a body",
		ours: "no body counts as `{}`",
		apply(edit) {
			for (const id of ["updateProfile", "updatePreset"]) edit.makeBodyOptional(id);
		},
	},
];
