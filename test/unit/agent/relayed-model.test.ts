import { expect } from "chai";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { RelayedModel } from "#agent/relayed-model.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { useFolder } from "../../support/use-folder.ts";

describe("RelayedModel", function () {
	this.timeout(20_000);
	const folder = useFolder();
	let door: Server | undefined;
	let model: RelayedModel;
	let asked: string[];
	let status: number;

	beforeEach(async () => {
		asked = [];
		status = 204;
		model = new RelayedModel(folder());
		await open();
	});
	afterEach(async () => {
		close();
		await model.close();
	});

	async function open(): Promise<void> {
		door = createServer((request, response) => {
			asked.push(request.url ?? "");
			response.writeHead(status).end();
		});
		door.listen(join(folder(), "api.sock"));
		await once(door, "listening");
	}

	function close(): void {
		door?.close();
		door?.closeAllConnections();
	}

	it("lets a turn begin when the door does, and asks again while it refuses or is away", async () => {
		const { signal } = new AbortController();
		await model.pass({}, signal);
		expect(asked).to.deep.equal([doorPaths.turnBegins]);
		status = 503;
		let hasBegun = false;
		const begins = model.pass({}, signal).then(() => (hasBegun = true));
		await eventually(() => asked.length >= 3);
		close();
		expect(hasBegun).to.equal(false);
		status = 204;
		await open();
		await begins;
	});

	it("gives up a turn that ends before it has begun", async () => {
		status = 503;
		const ending = new AbortController();
		const begins = failureOf<Error>(model.pass({}, ending.signal));
		await eventually(() => asked.length > 0);
		ending.abort();
		expect((await begins).name).to.equal("AbortError");
	});

	it("tells the end of a turn before the next one begins, also when the door was away", async () => {
		close();
		model.ended();
		await open();
		await model.pass({}, new AbortController().signal);
		expect(asked).to.deep.equal([doorPaths.turnEnded, doorPaths.turnBegins]);
	});

	it("says whether the door has taken another model", async () => {
		expect(await model.follow()).to.equal(true);
		status = 409;
		expect(await model.follow()).to.equal(false);
		close();
		expect(await model.follow()).to.equal(false);
	});
});
