/** Parts of a request that the contract does not name are ignored, and told to the client and to the service. */
import { expect } from "chai";
import { json, ProbeGateway, thing } from "../../support/platform/probe-gateway.ts";

const far = "https://pages.example";
const misspelt = JSON.stringify({ name: "ab", siez: 3 });
const sentence = 'Unknown member "siez" of the body; did you mean "size"?';

describe("gateway: ignored parts of requests", () => {
	const gateway = new ProbeGateway({ allowed_origins: [far] });

	async function toldIn(line: string, body?: string): Promise<unknown> {
		const { headers } = await gateway.send(line, body === undefined ? {} : json, body);
		const list = headers["atelier-warnings"];
		return list === undefined ? undefined : JSON.parse(`[${list}]`);
	}

	it("are named in a header, with what was probably meant", async () => {
		expect(await toldIn(`POST ${thing}?verbose=1`, misspelt)).to.deep.equal([
			'Unknown query parameter "verbose"',
			sentence,
		]);
		expect(await toldIn(`GET ${thing}?cuont=3`)).to.deep.equal([
			'Unknown query parameter "cuont"; did you mean "count"?',
		]);
	});

	it("are named in a refusal, too", async () => {
		expect(await toldIn(`POST ${thing}`, JSON.stringify({ nmae: "ab" }))).to.deep.equal([
			'Unknown member "nmae" of the body; did you mean "name"?',
		]);
	});

	it("are none in a request of the contract", async () => {
		expect(await toldIn(`GET ${thing}?count=3`)).to.equal(undefined);
		expect(await toldIn(`POST ${thing}`, JSON.stringify({ name: "ab", deep: { any: 1 } }))).to.equal(undefined);
		expect(await toldIn("POST /api/v1/svc/hooks/x", JSON.stringify({ any: 1 }))).to.equal(undefined);
	});

	it("are told to the service, which may keep the sentences", async () => {
		const { meta, params } = await gateway.seenBy(`POST ${thing}`, json, misspelt);
		expect([meta.warnings, params]).to.deep.equal([[sentence], { thing_id: thing.split("/").at(-1), name: "ab" }]);
		expect((await gateway.seenBy(`GET ${thing}`)).meta).not.to.have.property("warnings");
	});

	it("can be read by pages of other origins that are allowed", async () => {
		const { headers } = await gateway.send(`GET ${thing}?x=1`, { Origin: far });
		expect(headers["access-control-expose-headers"]).to.include("Atelier-Warnings");
	});

	it("write no line of their own into the answer, whatever their names are", async () => {
		const name = "a\r\nSet-Cookie: b=c\u0001\u{1F600}";
		const { status, headers } = await gateway.send(
			`POST ${thing}`,
			json,
			JSON.stringify({ name: "ab", [name]: "sk-1" }),
		);
		expect([status, headers["set-cookie"]]).to.deep.equal([201, undefined]);
		expect(headers["atelier-warnings"]).to.equal('"Unknown member \\"a??Set-Cookie: b=c???\\" of the body"');
	});
});
