/** The controls of the proof of access: protections, the patch that takes each one out, and the hole that shows it. */
import type { Patch } from "../../faults/patched-tree.ts";

export interface AccessControl {
	readonly protection: string;
	readonly patch: Patch;
	/** The routes that are tried. */
	readonly routes: readonly string[];
	/** The hole that the proof must report. */
	readonly hole: RegExp;
}

const accessTable = "shared/contracts/access/access-table.ts";
const admission = "shared/contracts/access/admission.ts";
const sessionRecords = "services/sessions/record/session-records.ts";
const getSession = "GET /sessions/:session_id";

export const accessControls: readonly AccessControl[] = [
	{
		protection: "the check of the owner",
		patch: { file: accessTable, from: "if (principal.id === owner || ", to: "if (owner !== null || " },
		routes: [getSession],
		hole: /^a colleague: GET \/sessions\/:session_id is admitted instead of unknown/m,
	},
	{
		protection: "the check of the tenant",
		patch: { file: accessTable, from: ' || principal.tenant !== tenant) return "stranger"', to: ') return "stranger"' },
		routes: [getSession],
		hole: /^an administrator of another tenant: GET \/sessions\/:session_id is admitted instead of unknown/m,
	},
	{
		protection: "the check of the role",
		patch: { file: admission, from: "if (isPerson(principal) && ", to: 'if (principal.id === "" && ' },
		routes: ["POST /prompts"],
		hole: /^a viewer: POST \/prompts is admitted instead of forbidden/m,
	},
	{
		protection: "the check of the kind",
		patch: {
			file: admission,
			from: "if (!kindsByAccess[access]",
			to: 'if (access === "system" && !kindsByAccess[access]',
		},
		routes: ["GET /models"],
		hole: /^the session's pod: GET \/models is admitted instead of forbidden/m,
	},
	{
		protection: "the check of a pod's proof",
		patch: {
			file: "shared/base/secrets/pod-token.ts",
			from: "given.length === right.length && timingSafeEqual(given, right)",
			to: "right.length > 0 && timingSafeEqual(given, given)",
		},
		routes: ["POST /sessions/:session_id/activity"],
		hole: /^a pod with a made-up proof: POST \/sessions\/:session_id\/activity is \w+ instead of unauthenticated/m,
	},
	{
		protection: "the owner's right to decide what runs",
		patch: {
			file: "services/sessions/pod/session-updates.ts",
			from: "refuseForeignUpdate(principal, record.session, update);",
			to: "",
		},
		routes: ["PUT /sessions/:session_id"],
		hole: /^an administrator: PUT \/sessions\/:session_id is admitted instead of forbidden/m,
	},
	{
		protection: "the end of an earlier launch's key",
		patch: { file: sessionRecords, from: 'if (action === "see") refuseStale', to: "if (false) refuseStale" },
		routes: ["POST /sessions/:session_id/chronicle"],
		hole: /^the session's pod of an old generation: POST \/sessions\/:session_id\/chronicle is admitted instead of stale/m,
	},
	{
		protection: "the scope of a list",
		patch: {
			file: sessionRecords,
			from: "const everybody = seesWholeTenant(principal);",
			to: "const everybody = true;",
		},
		routes: ["GET /sessions"],
		hole: /^a colleague: GET \/sessions shows the session/m,
	},
	{
		protection: "the refusal before the change",
		patch: {
			file: "shared/store/resource-records.ts",
			from: "\t\tthrow new ForbiddenError(refusal",
			to: "\t\tawait this.#store.remove(this.#kind.collection, id, {});\n\t\tthrow new ForbiddenError(refusal",
		},
		routes: ["GET /prompts", "PUT /prompts/:id"],
		hole: /^what .*\ba colleague\b.* must not do has changed GET \/prompts of the owner/m,
	},
	{
		protection: "the access of an action for administrators",
		patch: {
			file: "shared/contracts/settings/settings.ts",
			from: 'access: "admin",\n\t\tsummary: "Change the settings',
			to: 'summary: "Change the settings',
		},
		routes: ["PUT /admin/settings", "GET /admin/settings"],
		hole: /^a colleague: PUT \/admin\/settings is admitted instead of forbidden/m,
	},
	{
		protection: "the answer of an unknown id",
		patch: {
			file: sessionRecords,
			from: "if (!document || !mayKnow(principal, document))",
			to: 'if (document && !mayKnow(principal, document)) throw new NotFoundError("It is not yours", "SESSION_NOT_FOUND");\n\t\tif (!document)',
		},
		routes: [getSession],
		hole: /^a stranger: GET \/sessions\/:session_id is admitted instead of unknown/m,
	},
];
