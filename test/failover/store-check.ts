/** Checks the database as a majority of its servers has it: an event log without holes, and correct accounts. */
import type { Db } from "mongodb";

interface LogEntry {
	readonly _id: string;
	readonly seq: number;
	readonly type: string;
}

interface LedgerRow {
	readonly _id: string;
	readonly tenant: string;
	readonly owner: string;
	readonly day: string;
	readonly seq: number;
	readonly tokens: number;
	readonly micros?: number;
}

interface DayAccount {
	readonly _id: string;
	readonly booked: number;
	readonly spent_micros: number;
	/** The part of a tenant's day that nothing had reserved. */
	readonly unreserved_micros?: number;
	readonly local_tokens: number;
	readonly cloud_tokens: number;
}

/** The numbers without an event, filled or not. */
export async function holesOf(database: Db): Promise<number> {
	const entries = await logOf(database);
	const newest = entries.at(-1)?.seq ?? 0;
	const told = entries.filter(({ type }) => type !== "skipped").length;
	return newest - told;
}

/** The faults in the order of events and in the accounts. */
export async function disagreements(database: Db): Promise<string[]> {
	return [...outOfOrder(await logOf(database)), ...(await wrongAccounts(database))];
}

function logOf(database: Db): Promise<LogEntry[]> {
	const projection = { seq: 1, type: 1 } as const;
	return database.collection<LogEntry>("event_log").find({}, { projection }).sort({ seq: 1 }).toArray();
}

/** The events of a document are numbered from 1. */
function outOfOrder(entries: readonly LogEntry[]): string[] {
	const wrong: string[] = [];
	const newest = new Map<string, number>();
	for (const { _id, type } of entries) {
		if (type === "skipped") continue;
		const [, document = "", n = ""] = /^(.*):(\d+)$/.exec(_id) ?? [];
		const before = newest.get(document) ?? 0;
		if (Number(n) !== before + 1) wrong.push(`the log has event ${n} of ${document} after ${before}`);
		newest.set(document, Number(n));
	}
	return wrong;
}

/** Each account has every row of its own, once. */
async function wrongAccounts(database: Db): Promise<string[]> {
	const rows = await database.collection<LedgerRow>("usage_ledger").find().sort({ seq: 1 }).toArray();
	const accounts = await database.collection<DayAccount>("day_accounts").find().toArray();
	return accounts.flatMap(({ _id, booked, spent_micros, unreserved_micros = 0, local_tokens, cloud_tokens }) => {
		const names = JSON.parse(_id) as string[];
		const own = rows.filter(({ tenant, owner, day }) =>
			names.length === 2 ? `${tenant} ${day}` === names.join(" ") : `${tenant} ${owner} ${day}` === names.join(" "),
		);
		const right = { booked: own.at(-1)?.seq ?? 0, micros: sum(own, "micros"), tokens: sum(own, "tokens") };
		const found = { booked, micros: spent_micros + unreserved_micros, tokens: local_tokens + cloud_tokens };
		const agree = JSON.stringify(right) === JSON.stringify(found);
		return agree ? [] : [`account ${_id} has ${JSON.stringify(found)}, its rows are ${JSON.stringify(right)}`];
	});
}

function sum(rows: readonly LedgerRow[], what: "micros" | "tokens"): number {
	return rows.reduce((total, row) => total + (row[what] ?? 0), 0);
}
