/** The callers of the proof of access. */
import { isAllowed, type Ownership } from "#shared/contracts/access/access-table.ts";
import { admit } from "#shared/contracts/access/admission.ts";
import type { Principal } from "#shared/base/principal.ts";
import { makerOf, type MakerName } from "./makers.ts";
import { actionOf, type Row } from "./row.ts";

/** A caller with its credential. */
export interface Caller {
	readonly name: string;
	readonly headers: Readonly<Record<string, string>>;
	/** The principal that the platform has to see; absent: the credential is invalid. */
	readonly principal?: Principal | undefined;
	/** Whether it is a pod whose session has been started again since. */
	readonly isStale?: true;
	/** Whether it administers the default tenant, and so all tenants. */
	readonly isOperator?: true;
}

/** The outcomes of a request. `unknown`: the answer for an id that does not exist. `failed`: the platform failed. */
export type Outcome = "unauthenticated" | "forbidden" | "unknown" | "stale" | "admitted" | "failed";

/** The outcomes that no credential changes. */
const outcomesOfAll = new Map<Row["access"], Outcome>([
	["public", "admitted"],
	["signed", "unauthenticated"],
]);

/** Returns the outcome that the tables of access prescribe. @param ownership That of the row's object. */
export function expectedOutcome(caller: Caller, row: Row, route: string, ownership: Ownership | undefined): Outcome {
	const { principal } = caller;
	const ofAll = outcomesOfAll.get(row.access);
	if (ofAll) return ofAll;
	if (!principal) return "unauthenticated";
	if (!isAdmitted(principal, row, route)) return "forbidden";
	const { object } = row;
	if (!object || !ownership || (caller.isOperator && object === "tenant")) return "admitted";
	const outcome = outcomeFor(principal, { row, object, ownership }, route);
	return isTooOld(caller, row) && outcome === "admitted" ? "stale" : outcome;
}

/** The pod of an earlier launch may only report what its model calls have cost. */
function isTooOld({ isStale }: Caller, { action }: Row): boolean {
	return isStale === true && action !== "report-usage";
}

function outcomeFor(
	principal: Principal,
	{ row, object, ownership }: { row: Row; object: MakerName; ownership: Ownership },
	route: string,
): Outcome {
	if (!mayDo(principal, "see", object, ownership)) return "unknown";
	const [method = ""] = route.split(" ");
	return mayDo(principal, actionOf(row, makerOf(object).kind, method), object, ownership) ? "admitted" : "forbidden";
}

export function maySee({ principal }: Caller, object: MakerName, ownership: Ownership): boolean {
	return principal !== undefined && mayDo(principal, "see", object, ownership);
}

function isAdmitted(principal: Principal, { access, effect }: Row, route: string): boolean {
	if (access === "signed") return false;
	try {
		const rest = route.startsWith("GET ") ? "GET /" : "POST /";
		admit(principal, { access, rest, ...(effect && { effect }) });
		return true;
	} catch {
		return false;
	}
}

/** Rows are data, so the name of an action is checked here and not by its type. */
function mayDo(principal: Principal, action: string, object: MakerName, ownership: Ownership): boolean {
	return isAllowed(principal, action as "see", makerOf(object).kind, ownership);
}
