import { expect } from "chai";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { RenewedSecrets } from "#services/pod-manager/running-pods/renewed-secrets.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { eventually } from "../../../../support/eventually.ts";

const claim: Claim = {
	id: "0b6f5c1e-6d0f-4a6e-9d53-0d9f3f1f8a01",
	tenant: "acme",
	owner: "ada",
	generation: 1,
	desired: "run",
	fence: 1,
	launch: {},
	attempts: 9,
	workspace: "0b6f5c1e-6d0f-4a6e-9d53-0d9f3f1f8a01",
};
const address = "http://127.0.0.1:4000";
const ready: Pod = { name: "p", sessionId: claim.id, generation: 1, state: "ready", address, timings: {} };

function secretsWith(token: string): PodSecrets {
	return { variables: { TOKEN: token }, files: [], git_credentials: [], warnings: ["a sentence"] };
}

describe("RenewedSecrets", () => {
	let secrets: () => Promise<PodSecrets | undefined>;
	let send: () => Promise<void>;
	let sent: [string, string, PodSecrets][];
	let written: string[];
	let renewed: RenewedSecrets;
	let looks: number;
	let hadSome: boolean[];
	/** The people who have connections; undefined: nobody can tell. */
	let connected: readonly string[] | undefined;
	let questions: number;
	/** The pod as the runtime finds it before something is sent. */
	let present: Pod | undefined;

	/** Returns what every one of these tests depends on. */
	const around = () => ({
		async connected(people: readonly Pick<Claim, "tenant" | "owner">[]) {
			questions++;
			const known = connected;
			if (!known) throw new Error("away");
			return people.filter(({ owner }) => known.includes(owner));
		},
		podOf: async () => present,
		write: (sentence: string) => void written.push(sentence),
	});

	beforeEach(() => {
		[sent, written, looks, hadSome] = [[], [], 0, []];
		[connected, questions, present] = [["ada"], 0, ready];
		secrets = async () => secretsWith("first");
		send = async () => {};
		renewed = new RenewedSecrets({
			...around(),
			secretsOf: (_claim, hasSome) => {
				looks++;
				hadSome.push(hasSome);
				return secrets();
			},
			async send({ id }, to, values) {
				await send();
				sent.push([id, to, values]);
			},
		});
	});
	afterEach(() => renewed.stop());

	const hinted = async (owner = "ada") => {
		renewed.hint("acme", owner);
		await renewed.stop();
	};

	it("sends what a ready pod may not have, and afterwards what is new", async () => {
		renewed.passed(claim, ready);
		await eventually(() => sent.length === 1);
		expect(sent[0]).to.deep.equal([claim.id, address, { ...secretsWith("first"), warnings: [] }]);
		renewed.hint("acme", "ada");
		await eventually(() => looks === 2);
		secrets = async () => secretsWith("second");
		await hinted();
		expect(sent.map(([, , { variables }]) => variables["TOKEN"])).to.deep.equal(["first", "second"]);
		expect(hadSome, "whether it was sent some").to.deep.equal([false, true, true]);
	});

	it("looks again by itself, because a quiet session gets no pass and no hint", async () => {
		const got: (string | undefined)[] = [];
		const often = new RenewedSecrets(
			{
				...around(),
				secretsOf: () => secrets(),
				send: async (_claim, _to, { variables }) => void got.push(variables["TOKEN"]),
			},
			20,
		);
		often.passed(claim, ready);
		await eventually(() => got.length === 1);
		secrets = async () => secretsWith("second");
		await eventually(() => got.length === 2);
		await often.stop();
		expect(got).to.deep.equal(["first", "second"]);
	});

	it("looks by itself at a few sessions at a time, and at all of them", async () => {
		const looked = new Map<string, number>();
		let [current, most] = [0, 0];
		const often = new RenewedSecrets(
			{
				...around(),
				async secretsOf({ id }) {
					// The first look belongs to the pass.
					const isAgain = looked.has(id);
					looked.set(id, (looked.get(id) ?? 0) + 1);
					if (isAgain) most = Math.max(most, ++current);
					await new Promise(setImmediate);
					if (isAgain) current--;
					return undefined;
				},
				send: async () => {},
			},
			20,
		);
		for (let n = 0; n < 50; n++)
			often.passed({ ...claim, id: `session-${n}` }, { ...ready, sessionId: `session-${n}` });
		await eventually(() => looked.size === 50 && [...looked.values()].every((times) => times > 1));
		await often.stop();
		expect(most).to.be.within(1, 8);
	});

	describe("by itself", () => {
		let asked: string[];
		let often: RenewedSecrets;

		beforeEach(() => {
			asked = [];
			often = new RenewedSecrets(
				{
					...around(),
					async secretsOf({ owner }) {
						asked.push(owner);
						return secrets();
					},
					send: async () => {},
				},
				20,
			);
		});
		afterEach(() => often.stop());

		/** Lets three rounds pass that begin after this moment. */
		async function rounds(): Promise<void> {
			const before = questions;
			await eventually(() => questions > before + 3);
		}

		it("looks at no session of a person without connections, and asks one question for all", async () => {
			secrets = async () => undefined;
			connected = [];
			for (let n = 0; n < 50; n++) often.passed({ ...claim, id: `session-${n}` }, ready);
			await eventually(() => asked.length === 50);
			await rounds();
			expect(asked).to.have.length(50);
			connected = ["ada"];
			await eventually(() => asked.length >= 100);
		});

		it("looks at a session whose owner has no connection any more, as long as it has something of one", async () => {
			often.passed(claim, ready);
			await eventually(() => asked.length === 1);
			connected = [];
			await eventually(() => asked.length > 2);
		});

		it("looks at all sessions while nobody can tell who has connections", async () => {
			secrets = async () => undefined;
			connected = undefined;
			often.passed(claim, ready);
			often.passed({ ...claim, id: "another", owner: "bob" }, ready);
			await eventually(() => asked.filter((owner) => owner === "bob").length > 1);
		});

		it("forgets sessions that have no pod any more, whoever has seen the end", async () => {
			often.passed(claim, ready);
			often.passed({ ...claim, id: "another", owner: "bob" }, ready);
			connected = ["ada", "bob"];
			await eventually(() => asked.includes("bob") && asked.includes("ada"));
			often.keepOnly(new Set(["another"]));
			await rounds();
			asked.length = 0;
			await rounds();
			expect(new Set(asked)).to.deep.equal(new Set(["bob"]));
		});
	});

	for (const [what, pod] of Object.entries<Pod | undefined>({
		"is gone": undefined,
		"is ending": { ...ready, state: "leaving" },
		"is elsewhere": { ...ready, address: "http://127.0.0.1:4001" },
	}))
		it(`sends nothing to an address whose pod ${what}, because it may be another session's by now`, async () => {
			present = pod;
			renewed.passed(claim, ready);
			await renewed.stop();
			expect(looks).to.equal(1);
			expect(sent).to.deep.equal([]);
			expect(written).to.deep.equal([]);
		});

	it("looks at sessions of that person only, and not at each of many passes", async () => {
		for (let pass = 0; pass < 10; pass++) renewed.passed(claim, ready);
		await eventually(() => sent.length === 1);
		expect(looks).to.equal(1);
		await hinted("bob");
		expect(looks).to.equal(1);
	});

	it("forgets sessions whose pods are not ready, and sends a later pod everything again", async () => {
		renewed.passed(claim, ready);
		await eventually(() => sent.length === 1);
		for (const pod of [undefined, { ...ready, state: "leaving" as const }]) {
			renewed.passed(claim, pod);
			renewed.hint("acme", "ada");
		}
		renewed.passed({ ...claim, generation: 2 }, { ...ready, generation: 2 });
		await eventually(() => sent.length === 2);
		expect(looks).to.equal(2);
	});

	it("leaves the pod what it has when the secrets cannot be had, and tries again when it could not be reached", async () => {
		secrets = () => Promise.reject(new Error("away"));
		renewed.passed(claim, ready);
		await eventually(() => written.length === 1);
		expect(sent).to.deep.equal([]);
		secrets = async () => secretsWith("first");
		send = () => Promise.reject(new Error("unreachable"));
		renewed.hint("acme", "ada");
		await eventually(() => written.length === 2);
		send = async () => {};
		await hinted();
		expect(sent).to.have.length(1);
		expect(written.join()).not.to.contain("first");
	});
});
