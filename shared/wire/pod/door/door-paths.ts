/** The paths of the platform's socket in a pod without a network, beside those of the platform's API. All but `model` are POST. */
export const doorPaths = {
	/** It gives the launch document once. */
	launch: "/launch",
	/** It takes the PodStatus. */
	status: "/status",
	/** The prefix of model calls: `/model/<wire>/…`. */
	model: "/model",
	/** It answers when the budget lets a turn begin. */
	turnBegins: "/turns",
	turnEnded: "/turns/end",
	/** It answers 204 when calls use the model that the session has now, and 409 when they cannot before the next launch. */
	modelChanged: "/model-changes",
} as const;
