import { expect } from "chai";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fetchLaunch } from "#agent/fetched-launch.ts";
import { LaunchDocumentError } from "#agent/launch-document.ts";
import { turnClock } from "#shared/base/clock.ts";
import { failureOf } from "../../support/failure-of.ts";
import { TestSession } from "../../support/pods/test-pod.ts";

describe("fetchLaunch()", () => {
	let session: TestSession;
	let folder: string;
	let door: Server;
	/** The statuses of the next answers; the last one stays. */
	let statuses: number[];
	let shown: (string | undefined)[];

	beforeEach(async () => {
		session = new TestSession();
		({ folder } = session);
		const document = JSON.stringify(session.launch());
		writeFileSync(join(folder, "token"), "token-of-the-pod\n");
		[statuses, shown] = [[200], []];
		door = createServer((request, response) => {
			shown.push(request.headers.authorization);
			const status = statuses.length > 1 ? statuses.shift() : statuses[0];
			response.writeHead(status ?? 500).end(document);
		});
	});
	afterEach(async () => {
		door.close();
		door.closeAllConnections();
		await session[Symbol.asyncDispose]();
	});

	async function urlOf(host: string): Promise<string> {
		door.listen({ port: 0, host });
		await once(door, "listening");
		return `http://${host}:${(door.address() as AddressInfo).port}`;
	}

	it("says at which address the pod has reached the door, where it is to listen", async () => {
		const launch = await fetchLaunch({ door: await urlOf("127.0.0.1"), tokenFile: join(folder, "token") });
		expect(launch).to.include({ generation: 1, listen_host: "127.0.0.1" });
		expect(shown).to.deep.equal(["Bearer token-of-the-pod"]);
	});

	it("says no address at a socket", async () => {
		const path = join(folder, "door");
		door.listen(path);
		await once(door, "listening");
		expect(await fetchLaunch({ door: path })).to.not.have.property("listen_host");
	});

	it("asks again while the platform is away, and not after a refusal", async () => {
		statuses = [503, 200];
		const source = { door: await urlOf("127.0.0.1") };
		expect(await fetchLaunch(source)).to.have.property("generation", 1);
		statuses = [403];
		expect(await failureOf(fetchLaunch(source))).to.be.an.instanceOf(LaunchDocumentError);
		expect(shown).to.have.length(3);
	});

	it("says what the platform answered, or why it did not, when it gives up", async () => {
		const begun = performance.now();
		let asked = 0;
		// The patience is over at the second look.
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => begun + 70_000 * asked++ });
		try {
			statuses = [503];
			const source = { door: await urlOf("127.0.0.1") };
			const refused = await failureOf<Error>(fetchLaunch(source));
			expect(refused).to.be.an.instanceOf(LaunchDocumentError);
			expect(refused.message).to.equal(`The platform at "${source.door}" answers 503`);
			door.close();
			door.closeAllConnections();
			const away = await failureOf<Error>(fetchLaunch(source));
			expect(away).to.be.an.instanceOf(LaunchDocumentError);
			expect(away.message).to.match(/^The platform at "http:[^"]*" does not answer: connect ECONNREFUSED/);
		} finally {
			turnBack();
		}
	});
});
