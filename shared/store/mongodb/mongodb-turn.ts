/**
 * Serialises work of several processes. The holder of a turn increments a counter in a document, and a holder whose
 * counter has not changed for a while is considered dead. Clocks of different processes are never compared.
 */
import { randomUUID } from "node:crypto";
import { type Collection as Documents, MongoServerError } from "mongodb";
import { every, monotonic, sleep } from "#shared/base/clock.ts";

const beatMs = 2_000;
const goneMs = 15_000;
const askMs = 200;

export interface TurnDocument {
	/** The name of the work. */
	_id: string;
	/** The random id of the present holder's turn. */
	holder: string;
	beat: number;
}

/** Runs `work` when no other process has the turn, and resolves to its result. */
export async function inTurn<T>(turns: Documents<TurnDocument>, what: string, work: () => Promise<T>): Promise<T> {
	const holder = randomUUID();
	let seen = "";
	let since = monotonic();
	while (!(await begun(turns, { _id: what, holder, beat: 0 }))) {
		const other = await turns.findOne({ _id: what });
		if (`${other?.holder} ${other?.beat}` !== seen) {
			seen = `${other?.holder} ${other?.beat}`;
			since = monotonic();
		} else if (other && monotonic() - since > goneMs) await turns.deleteOne(other);
		await sleep(askMs);
	}
	// A failed update of the counter is harmless, because the next one follows soon.
	const beat = every(beatMs, () => void turns.updateOne({ _id: what, holder }, { $inc: { beat: 1 } }).catch(() => {}));
	try {
		return await work();
	} finally {
		beat.cancel();
		await turns.deleteOne({ _id: what, holder });
	}
}

async function begun(turns: Documents<TurnDocument>, turn: TurnDocument): Promise<boolean> {
	try {
		await turns.insertOne(turn);
		return true;
	} catch (error) {
		if (error instanceof MongoServerError && error.code === 11_000) return false;
		throw error;
	}
}
