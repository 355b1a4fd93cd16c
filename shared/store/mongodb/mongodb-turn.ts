/**
 * Work that one process of several does at a time: whoever holds the turn keeps counting in a document, and one whose
 * count has stood still for a while is taken to be gone. No clock of one process is compared with another's.
 */
import { randomUUID } from "node:crypto";
import { type Collection as Documents, MongoServerError } from "mongodb";
import { every, monotonic, sleep } from "../../clock.ts";

const beatMs = 2_000;
const goneMs = 15_000;
const askMs = 200;

export interface TurnDocument {
	/** What is done in turns. */
	_id: string;
	/** One turn of one process. */
	holder: string;
	beat: number;
}

/** Resolves to what `work` does, which begins when nobody else is at it. */
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
	// A beat that fails is missed by nobody: the next one comes soon.
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
