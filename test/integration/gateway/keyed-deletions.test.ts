/** A DELETE with an `Idempotency-Key` that was carried out, and whose answer was lost, succeeds when it is repeated. */
import { expect } from "chai";
import { Errors, type ServiceSchema } from "moleculer";
import { IdempotencyRecords } from "#services/sessions/commands/idempotency-records.ts";
import { idempotencyRecordCollection } from "#services/sessions/commands/idempotency-record-collection.ts";
import { keyedDeletionsService } from "#services/sessions/keyed-deletions.service.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import { routesOf } from "#shared/contracts/contract.ts";
import { ConflictError, NotFoundError, TimeoutError } from "#shared/base/errors.ts";
import { rawRequest, sendRaw } from "../../support/clients/raw-http.ts";
import { startGateway, type TestGateway } from "../../support/platform/start-gateway.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";

/** The outcome of a deletion in its service. */
type Fate = () => null;

const done: Fate = () => null;
const answerIsLost: Fate = () => {
	throw new TimeoutError("The answer took too long");
};
const notFound: Fate = () => {
	throw new NotFoundError("There is no such thing");
};
const refused: Fate = () => {
	throw new ConflictError("It is in use");
};

const processIsLost: Fate = () => {
	throw new Errors.RequestTimeoutError({ action: "things.delete", nodeID: "lost", isSilent: true });
};

/** The deletions of all contracts that people may ask for, each with a path. */
const deletions = publicContracts.flatMap(({ actions }) =>
	Object.values(actions)
		.filter(({ access = "user" }) => access !== "system" && access !== "pod")
		.flatMap((action) => routesOf(action).flatMap((route) => (route.startsWith("DELETE ") ? [{ action, route }] : []))),
);

function pathOf(route: string): string {
	const path = route.replace("DELETE ", "").replaceAll(/:\w+/g, "6f1b2c3d-0000-4000-8000-000000000001");
	return path.startsWith("//") ? path.slice(1) : `/api/v1/svc${path}`;
}

describe("keyed deletions", () => {
	let opened: StoreUnderTest;
	let gateway: TestGateway;
	/** The fates of the next deletions. */
	let fates: Fate[];
	let keys = 0;

	/** Stands for the services of all deletions. */
	function deletingServices(): ServiceSchema[] {
		return publicContracts.flatMap(({ name, actions }) => {
			const own = Object.entries(actions).filter(([, action]) => deletions.some((one) => one.action === action));
			const remove = { handler: async () => fates.shift()?.() ?? null };
			return own.length === 0 ? [] : [{ name, actions: Object.fromEntries(own.map(([key]) => [key, remove])) }];
		});
	}

	before(async () => {
		opened = await openEmbedded([idempotencyRecordCollection]);
		const notes = keyedDeletionsService(new IdempotencyRecords(opened.store));
		gateway = await startGateway({ contracts: publicContracts, services: [...deletingServices(), notes] });
	});
	after(async () => {
		await gateway.stop();
		await opened.discard();
	});

	async function remove(path: string, key?: string, ...following: Fate[]): Promise<number> {
		fates = following;
		const headers = { Host: gateway.host, ...(key !== undefined && { "Idempotency-Key": key }) };
		return (await sendRaw(gateway.port, rawRequest(`DELETE ${path}`, headers))).status;
	}

	it("are all deletions of the contracts", () => {
		expect(deletions.map(({ route }) => route)).to.include.members([
			"DELETE /prompts/:id",
			"DELETE /sessions/:session_id",
		]);
		expect(deletions).to.have.length.above(13);
	});

	for (const { route } of deletions) {
		it(`answer 204 when they are repeated, and 404 without the key: ${route}`, async () => {
			const [path, key] = [pathOf(route), `lost-${keys++}`];
			expect(await remove(path, key, answerIsLost)).to.equal(504);
			expect(await remove(path, key, notFound)).to.equal(204);
			expect(await remove(path, undefined, notFound)).to.equal(404);
			expect(await remove(path, `${key}-other`, notFound)).to.equal(404);
		});
	}

	const [path, other] = ["a", "b"].map((digit) => `/api/v1/svc/prompts/6f1b2c3d-0000-4000-8000-00000000000${digit}`);

	it("answer 404 for what never was, also when that is repeated", async () => {
		expect(await remove(path ?? "", "never", notFound)).to.equal(404);
		expect(await remove(path ?? "", "never", notFound)).to.equal(404);
	});

	it("are tried again after a refusal, with the same key", async () => {
		expect(await remove(path ?? "", "in-use", refused)).to.equal(409);
		expect(await remove(path ?? "", "in-use", notFound)).to.equal(404);
		expect(await remove(path ?? "", "then-free", answerIsLost)).to.equal(504);
		expect(await remove(path ?? "", "then-free", refused)).to.equal(409);
		expect(await remove(path ?? "", "then-free", done)).to.equal(204);
	});

	it("are done when another process finds nothing more, because the one that did them is lost", async () => {
		expect(await remove(path ?? "", "lost-process", processIsLost, notFound)).to.equal(204);
		expect(await remove(path ?? "", undefined, processIsLost, notFound), "without a key").to.equal(504);
	});

	it("are refused when the key was used for another one", async () => {
		expect(await remove(path ?? "", "one", done)).to.equal(204);
		expect(await remove(other ?? "", "one", done)).to.equal(422);
		expect(await remove(path ?? "", "one", notFound)).to.equal(204);
	});
});
