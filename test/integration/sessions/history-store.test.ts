import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { historyChunkCollection, historyCollection } from "#services/sessions/history/history-collections.ts";
import { kinds, maxChunkBytes } from "#services/sessions/history/history-entries.ts";
import { SessionHistory } from "#services/sessions/history/session-history.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import type { HistoryReport } from "#shared/contracts/sessions/history.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { PodLogEntry } from "#shared/wire/pod/log/log-tail.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";

const collections = [historyCollection, historyChunkCollection];
const mebibyte = 1_048_576;

/** The reporter; its pod does not matter here. */
const pod = { principal: systemPrincipal("test") };

function report(n: number, more: Partial<HistoryReport> = {}): HistoryReport {
	return { n, logs: [], turns: [], timeline: [], events: [], ...more };
}

function line(message: string): PodLogEntry {
	return { timestamp: 1.5, time: "2026-11-20T20:00:00.000Z", level: "INFO", logger: "test", message };
}

function turn(id: string, content: string, output?: string): ConversationTurn {
	const parts = output === undefined ? [] : [{ type: "tool", title: "run", output }];
	return { id, role: "assistant", content, parts, created_at: "2026-11-20T20:00:00.000Z", metadata: {} };
}

function patchPiece(id: string, text: string, piece = 0, pieces = 1) {
	return { id, text, piece, pieces, truncated: false };
}

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`SessionHistory on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let store: DocumentStore;
		let history: SessionHistory;
		let id: string;

		before(async () => {
			opened = await open();
			store = opened.store;
			history = new SessionHistory(store);
		});
		beforeEach(() => {
			id = randomUUID();
		});
		after(() => opened.discard());

		it("keeps the newest log lines within bytes, whatever their number (X7)", async () => {
			const long = "x".repeat(800_000);
			for (let n = 1; n <= 20; n++) await history.add(pod, id, 1, report(n, { logs: [line(`${n} ${long}`)] }));
			const bytes = (await chunks()).reduce((sum, { wire }) => sum + wire.length, 0);
			expect(bytes).to.be.below(8 * mebibyte);
			const kept = (await history.logs(id)) ?? [];
			expect(kept.at(-1)?.message.slice(0, 3)).to.equal("20 ");
			expect(kept).to.have.length.within(4, 8);
		});

		async function chunks(): Promise<{ wire: string }[]> {
			const found = await Promise.all(
				kinds.map((kind) => store.find(historyChunkCollection, "in_order", { equals: [id, kind] }, { limit: 10_000 })),
			);
			return found.flatMap(({ documents }) => documents);
		}

		async function messages(): Promise<string[] | undefined> {
			return (await history.logs(id))?.map(({ message }) => message);
		}

		async function turnIds(upTo?: string): Promise<string[] | undefined> {
			return (await history.turns(id, upTo))?.map((one) => one.id);
		}

		it("has nothing of a session without reports", async () => {
			expect([await history.logs(id), await history.turns(id), await history.patch(id, "last-commit")]).to.deep.equal([
				undefined,
				undefined,
				undefined,
			]);
		});

		it("accepts each report once, with gaps, by launch", async () => {
			await history.add(pod, id, 1, report(1, { logs: [line("a")] }));
			await history.add(pod, id, 1, report(3, { logs: [line("b")], turns: [turn("t", "x")] }));
			for (const n of [1, 2, 3]) await history.add(pod, id, 1, report(n, { logs: [line("again")] }));
			await history.add(pod, id, 2, report(1, { logs: [line("c")] }));
			await history.add(pod, id, 1, report(4, { logs: [line("late")], turns: [turn("t", "other")] }));
			expect(await messages()).to.deep.equal(["a", "b", "c", "late"]);
			expect(await history.turns(id)).to.deep.equal([turn("t", "x")]);
		});

		it("accepts one of eight equal concurrent reports", async () => {
			const one = report(1, { logs: [line("a"), line("b")], turns: [turn("t", "x")] });
			await Promise.all(Array.from({ length: 8 }, () => history.add(pod, id, 1, one)));
			expect(await messages()).to.deep.equal(["a", "b"]);
			expect(await turnIds()).to.deep.equal(["t"]);
		});

		it("completes an interrupted report when it is repeated", async () => {
			const one = report(1, { logs: [line("a")], turns: [turn("t", "x".repeat(3 * maxChunkBytes))] });
			const half = new SessionHistory(
				new Proxy(store, {
					get(target, name) {
						if (name === "insert") {
							return (collection: { name: string }, ...rest: [never]) =>
								collection.name === historyCollection.name
									? Promise.reject(new Error("killed"))
									: target.insert(collection as never, ...rest);
						}
						const member: unknown = Reflect.get(target, name);
						return typeof member === "function" ? member.bind(target) : member;
					},
				}),
			);
			expect(String(await half.add(pod, id, 1, one).catch((error: unknown) => error))).to.include("killed");
			await history.add(pod, id, 1, one);
			expect(await messages()).to.deep.equal(["a"]);
			expect(await history.turns(id)).to.deep.equal(one.turns);
		});

		it("keeps texts of any size in chunks of at most 256 KB", async () => {
			const large = turn("large", `${"x".repeat(maxChunkBytes / 2)}${"😀€".repeat(80_000)}`);
			const many = Array.from({ length: 200 }, (_, index) => line(`${index} ${"y".repeat(4_000)}`));
			await history.add(pod, id, 1, report(1, { logs: many, turns: [turn("a", "a"), large, turn("b", "b")] }));
			const sizes = (await chunks()).map(({ wire }) => Buffer.byteLength(wire));
			expect(Math.max(...sizes)).to.be.at.most(maxChunkBytes);
			expect(sizes).to.have.length.above(8);
			expect(await history.logs(id)).to.deep.equal(many);
			expect((await history.turns(id))?.[1]).to.deep.equal(large);
			expect(await turnIds()).to.deep.equal(["a", "large", "b"]);
		});

		it("keeps the newest 2,000 lines", async () => {
			for (let n = 1; n <= 9; n++) {
				const lines = Array.from({ length: 300 }, (_, index) => line(`${n}.${index}`));
				await history.add(pod, id, 1, report(n, { logs: lines }));
			}
			const kept = await messages();
			expect(kept).to.have.length(2_000);
			expect([kept?.[0], kept?.at(-1)]).to.deep.equal(["3.100", "9.299"]);
			expect(await chunks(), "nothing else is left").to.have.length(7);
		});

		it("returns the turns before a given one, and none before an unknown one", async () => {
			for (let n = 1; n <= 5; n++) await history.add(pod, id, 1, report(n, { turns: [turn(`t${n}`, "x")] }));
			expect(await turnIds("t3")).to.deep.equal(["t1", "t2", "t3"]);
			expect(await turnIds("unknown")).to.deep.equal([]);
		});

		it("drops the oldest outputs of tools first, and says so, then the oldest turns", async () => {
			const each = 600 * 1024;
			for (let n = 1; n <= 15; n++) {
				const output = n % 2 === 0 ? "o".repeat(each) : undefined;
				await history.add(
					pod,
					id,
					1,
					report(n, { turns: [turn(`t${n}`, n % 2 === 0 ? "c" : "c".repeat(each), output)] }),
				);
			}
			const total = async (): Promise<number> =>
				(await chunks()).reduce((sum, { wire }) => sum + Buffer.byteLength(wire), 0);
			const bare = async (): Promise<string[]> => {
				const kept = (await chunks()).map(({ wire }) => wire);
				return kept.flatMap((wire) => (wire.includes('"output_dropped":true') ? [JSON.parse(wire).id] : []));
			};
			expect(await total()).to.be.at.most(8 * mebibyte);
			expect(await bare())
				.to.include("t2")
				.and.to.not.include("t14");
			expect((await turnIds("t3"))?.[0], "no turn has gone").to.equal("t1");
			for (let n = 16; n <= 40; n++)
				await history.add(pod, id, 1, report(n, { turns: [turn(`t${n}`, "c".repeat(each))] }));
			expect(await total()).to.be.at.most(8 * mebibyte);
			expect(await turnIds("t1")).to.deep.equal([]);
			expect((await turnIds())?.at(-1)).to.equal("t40");
		});

		it("keeps the newest complete patch", async () => {
			await history.add(pod, id, 1, report(1, { diff: patchPiece("p", "one") }));
			expect(await history.patch(id, "last-commit")).to.deep.equal({ patch: "one", truncated: false });
			await history.add(pod, id, 1, report(2, { diff: patchPiece("q", "two ", 0, 2) }));
			expect(await history.patch(id, "last-commit"), "until the other is whole").to.deep.equal({
				patch: "one",
				truncated: false,
			});
			await history.add(pod, id, 1, report(3, { diff: { ...patchPiece("q", "three", 1, 2), truncated: true } }));
			expect(await history.patch(id, "last-commit")).to.deep.equal({ patch: "two three", truncated: true });
			expect(await chunks()).to.have.length(2);
		});

		it("keeps the newest patch against each base", async () => {
			await history.add(pod, id, 1, report(1, { diff: patchPiece("p", "one") }));
			await history.add(pod, id, 1, report(2, { branch_diff: patchPiece("b", "two") }));
			await history.add(pod, id, 1, report(3, { diff: patchPiece("q", "three") }));
			await history.add(pod, id, 1, report(4, { branch_diff: patchPiece("c", "four") }));
			expect(await history.patch(id, "last-commit")).to.deep.equal({ patch: "three", truncated: false });
			expect(await history.patch(id, "default-branch")).to.deep.equal({ patch: "four", truncated: false });
			expect(await chunks()).to.have.length(2);
		});

		it("does not keep pieces without their beginning", async () => {
			for (let n = 1; n <= 10; n++) await history.add(pod, id, 1, report(n, { diff: patchPiece(`p${n}`, "x", 1, 3) }));
			for (let n = 11; n <= 20; n++) await history.add(pod, id, 1, report(n, { diff: patchPiece(`p${n}`, "x", 0, 3) }));
			expect(await chunks()).to.have.length(1);
			expect(await history.patch(id, "last-commit")).to.equal(undefined);
		});

		it("removes everything of a session, and nothing of others", async () => {
			const other = randomUUID();
			const all = { logs: [line("a")], turns: [turn("t", "x".repeat(maxChunkBytes))], diff: patchPiece("p", "x") };
			for (const one of [id, other]) await history.add(pod, one, 1, report(1, all));
			await history.remove(id);
			expect(await chunks()).to.deep.equal([]);
			expect(await history.logs(id)).to.equal(undefined);
			expect(await history.turns(other)).to.have.length(1);
		});
	});
}
