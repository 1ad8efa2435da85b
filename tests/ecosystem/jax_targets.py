"""What people hand over who use JAX."""

from functools import partial

import jax
import numpy as np
from jax import numpy as jnp

jitted = jax.jit(jax.nn.gelu)
exact = jax.jit(partial(jax.nn.gelu, approximate=False))
slope = jax.vmap(jax.grad(partial(jax.nn.gelu, approximate=False)))


def annotated(x: jax.Array) -> jax.Array:
    return x * jax.nn.sigmoid(1.702 * x)


def to_numpy(x):
    return np.asarray(jax.nn.gelu(jnp.asarray(x)))


def promoted(x):
    return jax.nn.gelu(x) * jnp.float32(1)


def stopped(x):
    return jax.lax.stop_gradient(jax.nn.gelu(x))


def sixty_four_bits(x):
    jax.config.update("jax_enable_x64", True)
    return jax.nn.gelu(x)
