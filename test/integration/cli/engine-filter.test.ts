/** The calls that the filter before a container engine's socket passes on, with an engine that records what reaches it. */
import { expect } from "chai";
import { containerId, create, goodRequests, named, RecordedFilter } from "../../support/containers/recorded-filter.ts";

const { session, warm, helper, probe, others, absent } = named;

describe("engine-filter", () => {
	const filter = new RecordedFilter();
	const { reached, refused } = filter;
	const { good, goodHelper, goodProbe } = goodRequests(filter.workspace);
	const send = filter.send.bind(filter);

	before(() => filter.start());
	after(() => filter.close());
	beforeEach(() => {
		reached.length = 0;
	});

	it("lets the platform's own containers be created, and passes on what it understood", async () => {
		expect(await send("POST", create(session), good)).to.include({ status: 201 });
		expect(await send("POST", create(helper), goodHelper)).to.include({ status: 201 });
		expect(await send("POST", create(probe), goodProbe)).to.include({ status: 201 });
		const names = [session, helper, probe];
		expect(reached.map(({ call }) => call)).to.deep.equal(names.map((name) => `POST ${create(name)}`));
		expect(JSON.parse(reached[0]?.body ?? "")).to.deep.equal(good);
	});

	const own = encodeURIComponent(JSON.stringify({ label: ["atelier.installation=i"] }));
	for (const call of [
		"GET /v1.41/_ping",
		"GET /v1.41/info",
		"GET /v1.41/images/atelier/session/json",
		`GET /v1.41/events?filters=${own}`,
		`GET /v1.41/containers/json?all=1&filters=${own}`,
		`GET /v1.41/containers/${session}/json`,
		`GET /v1.41/containers/${session}/logs?stdout=1&stderr=1&tail=50`,
		`POST /v1.41/containers/${session}/start`,
		`POST /v1.41/containers/${session}/stop?t=20`,
		`POST /v1.41/containers/${helper}/wait`,
		`POST /v1.41/containers/${warm}/rename?name=${session}`,
		`DELETE /v1.41/containers/${session}?v=1`,
		`GET /v1.41/containers/json?all=1&filters=${encodeURIComponent(
			JSON.stringify({ label: ["atelier.installation=i"], name: [session.slice(0, -1)] }),
		)}`,
	]) {
		it(`passes on ${call}`, async () => {
			const [method = "", path = ""] = call.split(" ");
			expect(await send(method, path)).to.include({ status: 201 });
			expect(reached).to.have.length(1);
		});
	}

	it("asks for a container by its id, so that no other one can take its name meanwhile", async () => {
		await send("POST", `/v1.41/containers/${session}/stop?t=20`);
		expect(reached.map(({ call }) => call)).to.deep.equal([`POST /v1.41/containers/${containerId}/stop?t=20`]);
	});

	for (const call of ["GET /json", "GET /logs", "POST /start", "POST /stop", "POST /wait", "DELETE "])
		it(`refuses ${call} of a session that another installation has, or nobody`, async () => {
			const [method = "", path = ""] = call.split(" ");
			const sent = await send(method, `/v1.41/containers/${others}${path}`);
			expect(sent.status).to.equal(403);
			expect(sent.message).to.include("Labels.atelier.installation");
			const told = refused.length;
			expect(await send(method, `/v1.41/containers/${absent}${path}`)).to.include({ status: 404 });
			expect(refused.slice(told)).to.deep.equal([]);
			expect(reached).to.deep.equal([]);
		});

	const foreign = "session-3f0c2a11-0000-4000-8000-000000000001-g1x";
	for (const call of [
		`POST /v1.41/containers/${session}/exec`,
		`POST /v1.41/containers/${session}/attach?stream=1`,
		`GET /v1.41/containers/${session}/archive?path=/`,
		`PUT /v1.41/containers/${session}/archive?path=/`,
		`POST /v1.41/containers/${session}/update`,
		`POST /v1.41/containers/${session}/kill`,
		`POST /v1.41/containers/${session}/rename?name=${session.replace("-g1", "-g2")}`,
		`POST /v1.41/containers/${warm}/rename?name=${helper}`,
		`POST /v1.41/containers/${warm}/rename?name=database`,
		`POST /v1.41/containers/${warm}/rename`,
		`POST /v1.41/containers/${helper}/rename?name=${session}`,
		`GET /v1.41/containers/json?filters=${encodeURIComponent(
			JSON.stringify({ label: ["atelier.installation=i"], name: ["database"] }),
		)}`,
		`DELETE /v1.41/containers/${session}?force=1`,
		`DELETE /v1.41/containers/${foreign}?v=1`,
		`POST /v1.41/containers/database/stop`,
		`GET /v1.41/containers/database/json`,
		`GET /v1.41/containers/json?all=1`,
		`GET /v1.41/containers/json?filters=%7B%22label%22%3A%5B%22atelier.installation%3Dj%22%5D%7D`,
		`GET /v1.41/events?filters=%7B%7D`,
		`POST /v1.41/build`,
		`POST /v1.41/images/create?fromImage=a`,
		`POST /v1.41/volumes/create`,
		`POST /v1.41/networks/create`,
		`POST /v1.41/containers/prune`,
		`POST /v1.41/swarm/init`,
		`GET /v1.41/secrets`,
		`POST /containers/${session}/start`,
		`POST /v1.41/containers/..%2f..%2fcontainers/create?name=${session}`,
		`POST /v1.41/containers/${session}/../database/stop`,
		`POST /v1.41/containers/create?name=${session}&name=database`,
		`POST /v1.41/containers/create?name=database`,
		`POST /v1.41/containers/create`,
		`POST /v1.41/containers/create?name=${session}&platform=x`,
		`POST /v1.44/containers/create?name=${session}`,
		`GET /v1.41/images/debian:12/json`,
		`GET /v1.41/images/../containers/json`,
		`GET /v1.41/images/atelier/./session/json`,
		`GET /v1.41/images/atelier%2fsession/json`,
		`GET /v1.41//info`,
		`GET /v1.41/containers/${session}%2fjson`,
		`GET /v1.41/events?filters=${own}&filters=${own}`,
		`GET /v1.41/containers/json?filters=%7B%22label%22%3A%5B%22atelier.installation%3Di%22%5D%2C%22label%22%3A%5B%5D%7D`,
		`GET /v1.41/containers/json?filters=%7B%22label%22%3A%5B%22atelier.installation%3Di%22%5D%2C%22volume%22%3A%5B%22a%22%5D%7D`,
	]) {
		it(`refuses ${call}`, async () => {
			const [method = "", path = ""] = call.split(" ");
			expect(await send(method, path, method === "POST" ? good : undefined)).to.include({ status: 403 });
			expect(reached).to.deep.equal([]);
			expect(refused.at(-1)).to.include("The filter does not let");
		});
	}

	it("refuses a body with a call that has none", async () => {
		expect(await send("POST", `/v1.41/containers/${session}/start`, { Binds: ["/:/h"] })).to.include({ status: 403 });
		expect(reached).to.deep.equal([]);
	});
});
