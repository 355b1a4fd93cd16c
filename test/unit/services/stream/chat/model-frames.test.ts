import { expect } from "chai";
import { answerTo, modelNamedBy } from "#services/stream/chat/model-frames.ts";
import type { UpdatedSession } from "#shared/contracts/sessions/session-resource.ts";
import { ConflictError, UnprocessableError } from "#shared/base/errors.ts";

describe("modelNamedBy()", () => {
	it("finds the model that a frame names", () => {
		expect(modelNamedBy(Buffer.from('{"type":"set_model","model":"m"}'))).to.equal("m");
		expect(modelNamedBy(Buffer.from(' { "model": "m", "type": "set_model" }\n'))).to.equal("m");
	});

	for (const frame of [
		'{"type":"user","content":"set_model","model":"m"}',
		'{"type":"user","content":"\\"set_model\\""}',
		'{"type":"set_model"}',
		'{"type":"set_model","model":""}',
		'{"type":"set_model","model":{"$ne":"m"}}',
		'["set_model"]',
		'"set_model"',
		'{"type":"set_model","model":"m"',
		"",
		`{"type":"set_model","model":"${"m".repeat(2_000)}"}`,
	]) {
		it(`leaves ${frame.slice(0, 60)} to the pod`, () => {
			expect(modelNamedBy(Buffer.from(frame))).to.equal(undefined);
		});
	}
});

describe("answerTo()", () => {
	const updated = (model: "now" | "next_start") => async () => ({ applies: { model } }) as UpdatedSession;

	it("says nothing when the pod tells all clients", async () => {
		expect(await answerTo(updated("now"), "m")).to.equal(undefined);
	});

	it("says that the model has an effect later, or why it cannot be", async () => {
		const later = await answerTo(updated("next_start"), "m");
		expect(later).to.deep.include({
			type: "error",
			content: 'The model "m" has an effect from the session\'s next start',
		});
		const refused = await answerTo(() => Promise.reject(new ConflictError("The session is busy")), "m");
		expect(refused).to.deep.equal({
			type: "error",
			content: "The session is busy",
			error: "The session is busy",
			refused: "set_model",
		});
	});

	it("leaves a model that the catalogue does not have to the pod", async () => {
		const unknown = () => Promise.reject(new UnprocessableError("It is unknown", "MODEL_UNKNOWN"));
		expect(await answerTo(unknown, "m")).to.equal("unknown");
	});
});
